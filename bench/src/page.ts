import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './place.js'
import { machineLine, type Report, roundsLine, tableMarkdown } from './report.js'

const notes = `
## What is measured

Nothing here is an absolute promise: disks and machines differ by more than programs do. What counts are the ratios.

- *One run, step after step*: a flow of 1,000 steps, each awaited before the next is called, on SQLite with \`synchronous=FULL\`; each step
  is one commit. Beside it the same rows, complete with salts and hashes, through the bare driver: the same tables with their triggers and
  indexes, the same statements, \`BEGIN IMMEDIATE\` and \`COMMIT\` around each. The ratio is time against time.
- *256 runs at once*: 256 such flows in one process, begun together. Beside it the bare driver with the same rows, 256 of them in a
  transaction. The ratio is rows a second against rows a second.
- *Replay*: from when a worker has the claim of a run, before it has read anything, until the flow's code has reached the step without an
  outcome: the journal is read and its chain of hashes recomputed, every outcome decoded and handed over in a turn of its own. Once in a
  process that has done so before, once in a new process, as after a crash.
- *In memory*: the same flow on the store for tests, which syncs nothing: what the engine itself needs for a step.

Constancia's side runs the whole engine: it executes the function, encodes and decodes the result, makes salts and hashes, and lets the event
loop turn between two outcomes. The bare side is a loop that does nothing but write.

## What the figures say

- A lone step costs what its commit costs, and about 75 µs. Measured without syncs it is 22 µs; the rest is what a processor pays that slept
  while the disk wrote: its caches are cold, and a disk that is left alone for 50 µs answers some 15 µs later. So the ratio depends on the
  disk: around 1.4 where a commit takes 170 µs, 1.15 where it takes 500 µs.
- Many runs share commits. The store writes sixteen rows with one statement, which the bare loop does not, and so makes up for a part of
  what encoding, hashing and handing over cost.
- A replay is linear in the length of the journal, and most of it is reading rows and hashing them.

\`npm run bench\` measures it anew, \`npm run bench -- --json\` prints it for programs, \`npm run bench -- --write\` writes this page.
`

/** Writes `docs/benchmarks.md`; returns its path. */
export function writePage(report: Report): string {
  const path = join(root, 'docs', 'benchmarks.md')
  const head = `# Benchmarks\n\nMeasured on ${report.date}: ${machineLine(report)}. ${roundsLine(report)}\n`
  writeFileSync(path, `${head}\n${tableMarkdown(report)}\n${notes}`)
  return path
}

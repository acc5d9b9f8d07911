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
- *Parked runs*: of ten, four sleep for a month, four wait for a signal, one waits for a child, which waits for a signal. One run that is
  due is put beside them; a new process opens the file, executes it and then does nothing. Its heap is compared after collection with that
  of a process on an empty file; of the file's size the texts of all events are taken away.
- *Waking*: from the call of \`signal\` until the run's next step begins, one run after the other, each once the one before has ended: the signal is
  committed, the run is claimed, its journal read and replayed. Beside it, in turns, one commit of one small row to another file of the same disk.
- *In flight*: all runs are in a step when the clock starts, then each goes through its steps, every one of which waits for a timer of 1 ms.
- *Children*, *a queue*: everything from the first start, or the first claim, to the last end.
- *Sealing*: the same short runs in a process that seals them meanwhile, as often as always, and in one that does not; the processor's time of all threads. Both
  work at the same time, so that whatever else the machine does meets both: in turns they differed by ten times what is looked for.
- *Verifying*: runs are done, sealed and proven to a file; then the command \`constancia verify\` is timed from its start to its answer, as a user would wait for it.
- *PostgreSQL*: a server on the same machine and the same disk, as it is out of the box, or the one that \`DATABASE_URL\` names. One run and 256 runs
  as above; beside them the same rows in the same tables with their triggers, by the same driver, in one prepared statement and so in one round trip for each
  commit, whatever its size. The bare side does not look whether an event fits and keeps no row of where a run ends. It sends
  its arrays as the driver does, as text.
- *Waking over PostgreSQL*: as above, from another process, after ten wakes that do not count. Between them two bare connections do what cannot be
  left out: one commits a row and notifies, the other hears it and commits a row.
- *A queue over PostgreSQL*: runs of ten steps, which one, two and four worker processes take one after the other. The clock runs from when each
  of them has done some thousands of steps until the queue is nearly empty, so that neither the start of a process, with the compiling of
  its code, nor the last runs, of which there are not enough for everybody, are counted.

Constancia's side runs the whole engine: it executes the function, encodes and decodes the result, makes salts and hashes, and lets the event
loop turn between two outcomes. The bare side is a loop that does nothing but write, in a process of its own, which has done so before: the two take turns,
stretch by stretch. Until the bare side had a process of its own, its events, made before and by the ten thousand, lay in the heap of the engine that was measured
beside it, and each collection went through them: 256 runs over PostgreSQL came out a fifth slower than they are.

## What the figures say

- A lone step costs what its commit costs, and about 75 µs. Measured without syncs it is 22 µs; the rest is what a processor pays that slept
  while the disk wrote: its caches are cold, and a disk that is left alone for 50 µs answers some 15 µs later. So the ratio depends on the
  disk: around 1.4 where a commit takes 170 µs, 1.15 where it takes 500 µs.
- Many runs share commits. The store writes sixteen rows with one statement, which the bare loop does not, and so makes up for a part of
  what encoding, hashing and handing over cost.
- A replay is linear in the length of the journal, and most of it is reading rows and hashing them.
- A parked run is a row: a process that has 100,000 of them holds what it holds without them, and needs no longer to begin.
- Waking a run of the same process costs one commit, in which the signal and the claim are together, and from another process two, and the reading of a
  short journal. Of the processor's time that is some 2 ms in a process that does nothing in between; the rest is the disk, and for another process what the machine needs
  to let it run. A claim reads the runs that are due and the first of those that sleep: until it did, it read as many sleeping runs as it had room for,
  and a wake took 1.5 ms more. Where a commit takes 8 ms, no wake can take 5.
- With 10,000 runs in flight a step costs about what it costs with 1,000: 1.05 times the processor's time. It was 1.55 times while whoever waited for results had each of
  these runs looked at every second.
- Several processes on one file share its one lock, and each forgets what it knew when another has written: more processes make a queue
  safer, not shorter. One process is the fastest way through short runs on SQLite.
- Starts that nobody awaits wait in memory, some 5 KB each: 60,000 of them took 300 MB. Only 1,024 are let in to the store at once, so runs go
  on meanwhile: the first had ended when 2,500 starts were stored, 3,000 when all were. A worker claims only as many runs as it has places for.
- Sealing reads which runs have grown, hashes one leaf for each and signs twice, every 4.5 s while anything changes: some 1.5 % of the processor's time of short
  runs. The rest of what a sealed log costs is that each event names the checkpoint that its writer had seen, 70 bytes more in each row and each hash: 2.5 %, measured with
  a sealer that stops after its first checkpoint.
- Verifying is reading and hashing: three hashes an event, and about twenty more for each run, whose leaf has to lead to the root. A quarter of its time went into objects
  with getters, copies for each hash and conditions that were parsed for each action; they are gone.
- Over PostgreSQL a lone step is one round trip and one commit, as the bare statement is; what it costs beyond that is the update of the
  run's row, some 65 µs of the server where the two bare inserts cost 200 with their commit, and in this process 90 to 150 µs from the answer to the next
  question, of which the bare loop needs a third: 20 µs of it while nothing else is done, the rest because caches are cold after each wait. A new process is slower still until it
  has done some five thousand steps, for it compiles on the core that the server needs; these are not counted. A bare
  statement that is not prepared costs the server a fifth more; measured against it the ratio is lower, which is not what is shown here.
- Of many runs two transactions are under way at once, so that this process and the server work side by side: where
  both cores are busy with something else, that gain is lost. Of the processor's time a step of 256 runs takes 42 µs here and 39 there, where the
  bare loop takes 18 and 24; a third of this process's share is the collector's, which copies what 256 steps under way hold whenever some 800 steps have left
  12 MB behind. They left 15 MB until what each step asks of the store was one object instead of five.
- Waking over PostgreSQL takes two commits as well, and some eight trips between processes: two for the signal, one for the notification, four for
  the claim, one for the journal. Each costs what the scheduler needs to let another process run: little on a machine that has a
  core to spare, some milliseconds on one that has none.
- Worker processes on one PostgreSQL share the work until the server's cores, or its log, are busy. On two cores, which server and workers share,
  that is so with one worker already: a step of short runs took 170 µs of it and 145 of the server, claims and ends included, when it did 5,500 steps a second, which made 1.8 cores of
  the two; whoever waits mostly waits for the log to be on the disk. With four workers it is 220 and 150, for their groups are smaller. More of them make the queue safer
  there, not shorter. That a queue seemed to be emptied the slower the more took part had three reasons: a new process needs about a second of
  processor before it is at its speed, which a queue of some hundred runs does not outlast; all workers read the journals of all their
  runs again whenever many runs of another ended at once, nearly half of all reads with four of them; and who commits a notification waits for others who do, which about one
  look in six at what the server waits for found. The clock begins later now; ends are told so that nobody reads for them. That notifications wait for each other is as it was.

\`npm run bench\` measures it anew, \`npm run bench -- --only postgres\` a part of it, \`npm run bench -- --json\` prints it for programs, \`npm run bench -- --write\` writes this page.
`

/** Writes `docs/benchmarks.md`; returns its path. */
export function writePage(report: Report): string {
  const path = join(root, 'docs', 'benchmarks.md')
  const head = `# Benchmarks\n\nMeasured on ${report.date}: ${machineLine(report)}. ${roundsLine(report)}\n`
  writeFileSync(path, `${head}\n${tableMarkdown(report)}\n${notes}`)
  return path
}

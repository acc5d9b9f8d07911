/**
 * The process that is killed. With a journal: opens the store, starts the run under a fixed id (which changes nothing where
 * it was started before), and works until the run has ended. Nothing here asks whether this is the first time.
 */
import { open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { type AgentTask, leaseMs, runId } from './agent-task.js'
import { migrateWith } from './flow.js'
import { realTools } from './real-tools.js'
import { Repository } from './repository.js'
import { type Report, trapped } from './trap.js'
import { withoutJournal } from './without-journal.js'

const task = JSON.parse(process.argv[2] ?? '') as AgentTask
const report = (message: Report): void => void process.send?.(message)
const tools = trapped(realTools(new Repository(task.repository), task.url), task.trap, report)
const migrate = migrateWith(tools)
process.on('disconnect', () => process.exit()) // The demo is gone: nobody is left to look.

const { pulls } = task.journal === undefined ? await runOnce() : await resume(task.journal)
// What is still in the pipe would be lost by hanging up at once.
process.send?.({ kind: 'ended', pullCount: pulls.length } satisfies Report, () => process.disconnect())

interface Migrated {
  readonly pulls: readonly unknown[]
}

async function runOnce(): Promise<Migrated> {
  return (await migrate.run(withoutJournal(), task.input)) as Migrated
}

async function resume(file: string): Promise<Migrated> {
  const constancia = await open({ store: sqlite({ file }), flows: [migrate], worker: { leaseMs, pollMs: 100 } })
  const run = await constancia.start(migrate, task.input, { id: runId })
  const output = await run.result()
  await constancia.close()
  return output
}

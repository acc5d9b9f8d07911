/** One act of the demo: the agent from its first process to its last, killed at each trap, and what was counted. */
import { join } from 'node:path'
import { open, type Runtime } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { runId } from './agent-task.js'
import { type Life, live, startOutside } from './lives.js'
import type { Ledger } from './outside-process.js'
import type { Repository } from './repository.js'
import type { TrapPlace } from './trap.js'

/** The places where the demo ends the agent, in the order in which it comes to them. */
export const traps: readonly TrapPlace[] = [
  { tool: 'askModel', package: 'postcss', nth: 15, when: 'under way' },
  { tool: 'openPull', package: 'postcss', nth: 1, when: 'done' },
  { tool: 'commit', package: 'vite', nth: 1, when: 'done' },
  { tool: 'openPull', package: 'rolldown', nth: 1, when: 'done' },
  { tool: 'openPull', package: 'rolldown', nth: 1, when: 'done' },
  { tool: 'askModel', package: 'typescript', nth: 50, when: 'under way' },
]

/** A process of the agent, and what is known of it from outside. */
export interface JournaledLife extends Life {
  /** Keys of the steps whose results were in the journal when it began, and when it was gone. */
  readonly doneBefore: ReadonlySet<string>
  readonly doneAfter: ReadonlySet<string>
  /** How much of what it executed a process before it had begun or done already. */
  readonly againCount: number
}

/** How far a process has come: steps re-read, executed, and how many of those not for the first time. */
export interface Progress {
  readonly reread: number
  readonly executed: number
  readonly again: number
}

/** What one act came to. */
export interface Act {
  readonly lives: readonly JournaledLife[]
  /** Counted by the forge and the model, in their own process. */
  readonly ledger: Ledger
  /** Counted by git. */
  readonly commitCount: number
  readonly ms: number
}

/** What an act needs. */
export interface ActInput {
  /** An empty folder for it. */
  readonly folder: string
  /** The repository that it works on a copy of. */
  readonly template: Repository
  readonly packages: readonly string[]
  readonly withJournal: boolean
  readonly onStep: (progress: Progress) => void
  /** Told of each process's end. */
  readonly onLife: (life: JournaledLife) => void
}

/** Plays one act. */
export async function play(input: ActInput): Promise<Act> {
  const startMs = performance.now()
  const repository = await input.template.cloneTo(join(input.folder, 'repository'))
  const journal = input.withJournal ? join(input.folder, 'journal.db') : undefined
  const reader =
    journal === undefined ? undefined : await open({ store: sqlite({ file: journal }), flows: [], worker: false })
  const outside = await startOutside()
  const lives: JournaledLife[] = []
  const begun = new Set<string>()
  for (const trap of [...traps, undefined]) {
    const doneBefore = await stepsDone(reader)
    const task = { input: { packages: input.packages }, repository: repository.folder, url: outside.url, journal, trap }
    let [executed, again] = [0, 0]
    const life = await live(task, ({ tool, subject }) => {
      executed += 1
      if (begun.has(`${tool} ${subject}`)) again += 1
      begun.add(`${tool} ${subject}`)
      input.onStep({ reread: doneBefore.size, executed, again })
    })
    lives.push({ ...life, doneBefore, doneAfter: await stepsDone(reader), againCount: again })
    input.onLife(lives.at(-1) as JournaledLife)
  }
  await reader?.close()
  const ledger = await outside.ledger()
  await outside.close()
  return { lives, ledger, commitCount: await repository.commitCount(), ms: performance.now() - startMs }
}

/** The keys of the steps whose results are in the journal. */
async function stepsDone(reader: Runtime | undefined): Promise<ReadonlySet<string>> {
  const { items } = (await reader?.runs()) ?? { items: [] }
  if (reader === undefined || items.length === 0) return new Set() // No process has come far enough to start the run.
  const events = await reader.run(runId).events()
  const done = events.filter(({ kind }) => kind === 'StepCompleted')
  return new Set(done.map(({ body }) => `${runId}/${(JSON.parse(body) as { op: string }).op}`))
}

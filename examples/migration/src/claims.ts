/** What the demo says about itself, each sentence with whether it holds. The counts are those of the outside process and of git. */
import type { CrashReport } from 'constancia/testing'
import type { Act, JournaledLife } from './act.js'
import type { Life } from './lives.js'

/** Both acts and the golden test. */
export interface Results {
  readonly fileCount: number
  readonly packageCount: number
  readonly journaled: Act
  readonly bare: Act
  readonly golden: CrashReport
}

/** A sentence that the demo shows. */
export interface Claim {
  readonly text: string
  readonly holds: boolean
}

/** What an act amounts to. */
export interface Totals {
  readonly kills: number
  readonly reread: number
  readonly executed: number
  /** Of those, the ones that a process before had begun or done. */
  readonly again: number
  readonly pullRequests: number
  readonly pullsOpened: number
  /** Pull requests that were opened although the same one was open. */
  readonly pullsDuplicate: number
  readonly commits: number
  readonly modelCalls: number
  readonly modelTokens: number
  /** Calls for a file that the model had been asked about before. */
  readonly modelCallsAgain: number
}

/** Adds an act up. */
export function totalsOf({ lives, ledger, commitCount }: Act): Totals {
  const { forge, model } = ledger
  const branches = new Set(forge.pulls.map(({ branch }) => branch))
  return {
    kills: lives.filter(({ signal }) => signal === 'SIGKILL').length,
    reread: sum(lives.map(rereadCount)),
    executed: sum(lives.map(({ executed }) => executed.length)),
    again: sum(lives.map(({ againCount }) => againCount)),
    pullRequests: forge.requests,
    pullsOpened: forge.pulls.length,
    pullsDuplicate: forge.pulls.length - branches.size,
    commits: commitCount,
    modelCalls: model.calls,
    modelTokens: model.tokens,
    modelCallsAgain: model.calls - Object.keys(model.callsPerFile).length,
  }
}

/**
 * Steps that a process took from the journal. The engine executes nothing before every recorded result has been handed over
 * again, so where a process has executed anything, it has re-read everything.
 */
export function rereadCount({ executed, doneBefore }: JournaledLife): number {
  return executed.length === 0 ? 0 : doneBefore.size
}

/**
 * Model calls that were cut off: made, and their answer never in the journal. Mostly by the kill; where the machine is so
 * busy that a process cannot renew its lease in time, by that.
 */
export function interruptedCalls({ executed, doneBefore, doneAfter }: JournaledLife): number {
  const calls = executed.filter(({ tool }) => tool === 'askModel')
  const answered = new Set(calls.map(({ key }) => key).filter((key) => doneAfter.has(key) && !doneBefore.has(key)))
  return calls.length - answered.size
}

/** Checks everything that the demo says. */
export function claimsOf(results: Results): Claim[] {
  const { fileCount, packageCount, journaled, bare, golden } = results
  const [kept, lost] = [totalsOf(journaled), totalsOf(bare)]
  const interrupted = sum(journaled.lives.map(interruptedCalls))
  const repeated = sum(
    journaled.lives.map(({ executed, doneBefore }) => executed.filter(({ key }) => doneBefore.has(key)).length),
  )
  return [
    {
      text: `SIGKILL ended ${kept.kills} processes of the agent. The work is complete: process ${journaled.lives.length} finished what they had begun.`,
      holds: wasKilled(journaled.lives) && wasKilled(bare.lives) && journaled.lives.at(-1)?.pullCount === packageCount,
    },
    {
      text: `No step whose result was in the journal was executed again; ${count(kept.reread)} times a result was re-read instead.`,
      holds: repeated === 0 && kept.reread > 0,
    },
    {
      text: `The forge was asked ${kept.pullRequests} times and opened ${kept.pullsOpened} pull requests, each once: it had seen the key before.`,
      holds: eachOnce(journaled, packageCount) && kept.pullRequests > packageCount,
    },
    {
      text: `Git holds ${kept.commits} commits, one for each package, though ${commitTries(journaled)} were begun: the key is in the commit.`,
      holds: kept.commits === packageCount && commitTries(journaled) > packageCount,
    },
    {
      text: `No answer that was in the journal was paid for twice. ${kept.modelCallsAgain} calls were on their way when their process was cut off; those were asked, and paid, again. No journal knows an answer that never arrived.`,
      holds: kept.modelCallsAgain <= interrupted && kept.modelCalls === fileCount + kept.modelCallsAgain,
    },
    {
      text: `Without a journal the same agent opened ${lost.pullsDuplicate} pull requests that were open already, and paid for ${count(lost.modelCallsAgain)} answers again.`,
      holds: lost.pullsDuplicate > 0 && lost.modelCallsAgain > kept.modelCallsAgain,
    },
    {
      text: `In ${count(golden.triedCount)} more trials the journal came out the same, byte for byte, and each effect once.`,
      holds: golden.triedCount > 0 && golden.failures.length === 0,
    },
  ]
}

function wasKilled(lives: readonly Life[]): boolean {
  return lives.every(({ signal }, index) => (signal === 'SIGKILL') === index < lives.length - 1) && lives.length > 5
}

function eachOnce({ ledger }: Act, packageCount: number): boolean {
  const { pulls, refused } = ledger.forge
  const branches = new Set(pulls.map(({ branch }) => branch))
  return pulls.length === packageCount && branches.size === packageCount && refused === 0
}

function commitTries({ lives }: Act): number {
  return sum(lives.map(({ executed }) => executed.filter(({ tool }) => tool === 'commit').length))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/** A number as people write it. */
export function count(number: number): string {
  return number.toLocaleString('en-US')
}

/**
 * Where the demo ends the agent. A crash comes at any moment; so that the same one can be shown each time, the agent is
 * stopped at an exact place, tells the demo that it is there, and does nothing more. Then the demo sends SIGKILL. The flow
 * knows nothing of this: it is given tools that are traps.
 */
import type { Tools } from './flow.js'

/** A place in the agent's work. */
export interface TrapPlace {
  readonly tool: 'askModel' | 'commit' | 'openPull'
  /** The package that the call is about. */
  readonly package: string
  /** Which call for that package, from 1. */
  readonly nth: number
  /** `under way`: the call has begun and nothing has come back. `done`: the effect has happened, and the agent has not heard of it. */
  readonly when: 'under way' | 'done'
}

/** What the agent's process tells the demo's. */
export type Report =
  | { readonly kind: 'executes'; readonly tool: string; readonly subject: string; readonly key: string }
  | { readonly kind: 'trapped' }
  | { readonly kind: 'ended'; readonly pullCount: number }

/** The same tools; each call is reported, and the one that the trap is set for never returns. */
export function trapped(tools: Tools, place: TrapPlace | undefined, report: (report: Report) => void): Tools {
  let calls = 0
  async function call<T>(tool: keyof Tools, at: { subject: string; key: string }, run: () => Promise<T>): Promise<T> {
    report({ kind: 'executes', tool, ...at })
    const isTrap = place?.tool === tool && at.subject.split('/')[0] === place.package && ++calls === place.nth
    const result = run()
    if (!isTrap) return result
    if (place.when === 'done') await result
    else await new Promise((resolve) => setTimeout(resolve, 2)) // Long enough for the request to be out.
    report({ kind: 'trapped' })
    return new Promise(() => undefined)
  }
  return {
    listFiles: (folder, key) => call('listFiles', { subject: folder, key }, () => tools.listFiles(folder, key)),
    readFile: tools.readFile,
    askModel: (question, key) => call('askModel', { subject: question.file, key }, () => tools.askModel(question, key)),
    commit: (change, key) =>
      call('commit', { subject: subjectOf(change.branch), key }, () => tools.commit(change, key)),
    openPull: (pull, key) =>
      call('openPull', { subject: subjectOf(pull.branch), key }, () => tools.openPull(pull, key)),
  }
}

function subjectOf(branch: string): string {
  return branch.slice(branch.indexOf('/') + 1)
}

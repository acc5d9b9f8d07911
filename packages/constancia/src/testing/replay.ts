import { createHash } from 'node:crypto'
import { type Finding, GovernanceReplay, LawHistory, type ReplayEvent, RunReplay } from '@constancia/verify'
import { type RunId, runStream, type StoredEvent } from '../journal/index.js'

/** What replaying the governance of journals came to. */
export interface Replayed {
  readonly findings: readonly (Finding & { readonly stream: string })[]
  /** How many decisions of each kind were computed anew; `changes` are those of the governance stream. */
  readonly counts: ReadonlyMap<string, number>
}

/** Computes every decision in these journals anew, as an auditor does. */
export function replayGovernance(
  governance: readonly StoredEvent[],
  runs: ReadonlyMap<RunId, readonly StoredEvent[]>,
): Replayed {
  const history = new LawHistory((bytes) => createHash('sha256').update(bytes).digest())
  const law = new GovernanceReplay(history)
  for (const event of governance) law.add(replayEventOf(event))
  const findings = law.end().map((finding) => ({ ...finding, stream: 'governance' }))
  const counts = new Map([['changes', law.changeCount]])
  for (const [id, events] of runs) {
    const run = new RunReplay(id, history)
    for (const event of events) run.add(replayEventOf(event))
    findings.push(...run.end().map((finding) => ({ ...finding, stream: runStream(id) as string })))
    for (const [kind, count] of run.decided) counts.set(kind, (counts.get(kind) ?? 0) + count)
  }
  return { findings, counts }
}

/** An event as the replay takes it. */
export function replayEventOf({ seq, kind, at, by, seen, body, data, dataCommit }: StoredEvent): ReplayEvent {
  const head = /^(\d+):/.exec(seen)?.[1]
  const given = data ?? (dataCommit === undefined ? 'none' : undefined)
  return { seq, kind, at, by, governanceSeq: head === undefined ? undefined : Number(head), body, data: given }
}

/** What was found, in words. */
export function inWords(findings: Replayed['findings']): string[] {
  return findings.map(({ stream, seq, check, result, message }) => `${stream} ${seq}: ${check} ${result}: ${message}`)
}

import { type Finding, GovernanceReplay, LawHistory, type ReplayEvent, RunReplay } from '@constancia/verify'
import { nodeCrypto } from '@constancia/verify/node'
import { runStream, type StoredEvent } from '../../dist/journal/index.js'
import type { Store } from '../../dist/store/index.js'

/** What replaying journals came to. */
export interface Replayed {
  readonly findings: readonly (Finding & { readonly stream: string })[]
  /** How many decisions of each kind were computed anew; `changes` are those of the governance stream. */
  readonly counts: ReadonlyMap<string, number>
}

/** Journals, by stream; `governance` among them. */
export type Journals = ReadonlyMap<string, readonly StoredEvent[]>

/** All journals of a store that an auditor needs. */
export async function journalsOf(store: Store): Promise<Journals> {
  const journals = new Map([['governance', await store.read('governance' as never, { fromSeq: 0, limit: 100_000 })]])
  for (let after: string | undefined; ; ) {
    const page = await store.runs({ limit: 500, ...(after === undefined ? {} : { after }) })
    for (const { id } of page.items) journals.set(runStream(id), await store.read(runStream(id)))
    after = page.next
    if (after === undefined) return journals
  }
}

/** Replays journals. */
export function replayed(journals: Journals): Replayed {
  const history = new LawHistory(nodeCrypto.sha256)
  const governance = new GovernanceReplay(history)
  for (const event of journals.get('governance') ?? []) governance.add(replayEventOf(event))
  const findings = governance.end().map((finding) => ({ ...finding, stream: 'governance' }))
  const counts = new Map([['changes', governance.changeCount]])
  for (const [stream, events] of journals) {
    if (stream === 'governance') continue
    const run = new RunReplay(stream.slice('run/'.length), history)
    for (const event of events) run.add(replayEventOf(event))
    findings.push(...run.end().map((finding) => ({ ...finding, stream })))
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

/** Findings in words, for a test that wants none. */
export function inWords(findings: Replayed['findings']): string[] {
  return findings.map(({ stream, seq, check, result, message }) => `${stream} ${seq}: ${check} ${result}: ${message}`)
}

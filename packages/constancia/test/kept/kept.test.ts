import { readdirSync, readFileSync } from 'node:fs'
import type { AnyFlow, RunId, StoredEvent } from 'constancia'
import { memory, ScriptedClock } from 'constancia/testing'
import { describe, expect, test } from 'vitest'
import { Execution } from '../../dist/engine/execution.js'
import type { Parts } from '../../dist/engine/index.js'
import { FlowRegistry } from '../../dist/engine/registry.js'
import { rehearse } from '../../dist/engine/rehearsal.js'
import {
  defaultLimits,
  emptyHead,
  endOf,
  foldRun,
  type RunFold,
  runStream,
  verifyChain,
} from '../../dist/journal/index.js'
import type { Append, Claim, RunRow, Store } from '../../dist/store/index.js'
import { overStore } from '../engine/life.js'

/** Journals that some version wrote, and the flows that wrote them. */
const versions = readdirSync(new URL('.', import.meta.url)).filter((name) => /^\d+\.\d+\.\d+$/.test(name))

describe.each(versions)('T25 C37 journals that version %s wrote', async (version) => {
  const { flows } = (await import(`./${version}/flows.mjs`)) as { readonly flows: readonly AnyFlow[] }
  const journals = journalsOf(version)
  const registry = new FlowRegistry(flows)

  test('are there', () => {
    expect(journals.size).toBeGreaterThanOrEqual(10)
    const kinds = new Set([...journals.values()].flat().map(({ kind }) => kind))
    expect([...kinds].sort()).toEqual([
      'CancelRequested',
      'ChildCancelRequested',
      'ChildEnded',
      'ChildStarted',
      'FlowCancelled',
      'FlowCompleted',
      'FlowContinued',
      'FlowFailed',
      'FlowStarted',
      'SignalReceived',
      'StepAttemptFailed',
      'StepCompleted',
      'StepFailed',
      'TimerFired',
      'TimerSet',
    ])
  })

  test.each([...journals.keys()])('have an unbroken chain: %s', (run) => {
    const events = journals.get(run) ?? []
    expect(verifyChain(runStream(run), emptyHead(runStream(run)), events).seq).toBe(events.length - 1)
  })

  test.each([...journals.keys()])(
    'R-B4 replay from every event that they could have been read up to: %s',
    async (run) => {
      const events = journals.get(run) ?? []
      for (let count = 1; count <= events.length; count += 1) {
        const some = events.slice(0, count)
        const row = rowOf(run, some)
        const answer = await rehearse({ store: await storeOf(some), flows: registry, parts }, row)
        const expected = row.outcome === 'open' ? 'replays' : 'ended'
        expect([count, answer]).toEqual([count, { kind: expected }])
      }
    },
  )

  const ended = [...journals.keys()].filter((run) => endOf(journals.get(run)?.at(-1)?.kind ?? '') !== undefined)
  test.each(ended)('come to the same end, byte for byte: %s', async (run) => {
    const events = journals.get(run) ?? []
    const before = events.slice(0, -1)
    const flow = registry.find(rowOf(run, before).flow, rowOf(run, before).version) as AnyFlow
    const appended = await new Promise<Append>((resolve, reject) => {
      const append: Store['append'] = (request) => {
        resolve(request)
        return new Promise(() => undefined)
      }
      void storeOf(before, { append }).then((store) => {
        const execution = new Execution({ store, claim: claimOf(rowOf(run, before)), flow, parts, graceMs: 0 })
        void execution.execute().then((end) => reject(new Error(`It ended as ${JSON.stringify(end)} without an end.`)))
      })
    })
    const { kind, body, data } = events.at(-1) as StoredEvent
    expect(appended.drafts).toEqual([{ kind, body, data }])
  })
})

function journalsOf(version: string): Map<RunId, StoredEvent[]> {
  const lines = readFileSync(new URL(`./${version}/journals.jsonl`, import.meta.url), 'utf8')
    .trim()
    .split('\n')
  const journals = new Map<RunId, StoredEvent[]>()
  for (const line of lines) {
    const event = eventOf(JSON.parse(line))
    const run = event.stream.slice('run/'.length) as RunId
    journals.set(run, [...(journals.get(run) ?? []), event])
  }
  return journals
}

function eventOf(line: Record<string, string | null> & { readonly seq: number; readonly at: number }): StoredEvent {
  const bytes = (hex: string | null | undefined): Uint8Array | undefined =>
    hex === null || hex === undefined ? undefined : new Uint8Array(Buffer.from(hex, 'hex'))
  const kept = { ...line, data: line['data'] ?? undefined, dataCommit: line['dataCommit'] ?? undefined }
  return { ...kept, bodySalt: bytes(line['bodySalt']), dataSalt: bytes(line['dataSalt']) } as unknown as StoredEvent
}

function rowOf(run: RunId, events: readonly StoredEvent[]): RunRow {
  const fold = events.reduce<RunFold | undefined>((before, event) => foldRun(run, before, event), undefined) as RunFold
  const status = fold.outcome === 'open' ? 'ready' : fold.outcome
  const scheduler = { claim: undefined, wakeAtMs: undefined, waitingFor: [], stuck: undefined, latest: undefined }
  return { ...fold, ...scheduler, status, epoch: 1, readSignalCount: 0, lostLeaseCount: 0 }
}

function claimOf({ id: run, flow, version, head }: RunRow): Claim {
  return { run, id: 'kept' as Claim['id'], epoch: 1, stream: runStream(run), flow, version, head, lostLeaseCount: 0 }
}

// Reads are all that a replay may do.
async function storeOf(events: readonly StoredEvent[], changes: Partial<Store> = {}): Promise<Store> {
  const never = (): never => {
    throw new Error('A replay was about to write.')
  }
  const empty = await memory()({
    clock: new ScriptedClock(),
    randomBytes,
    limits: defaultLimits,
    warn: () => undefined,
  })
  const read: Store['read'] = async (_, { fromSeq = 0, limit = 1e6 } = {}) => events.slice(fromSeq, fromSeq + limit)
  return overStore(empty, { read, append: never, suspend: never, decide: never, create: never, ...changes })
}

const randomBytes = (count: number): Uint8Array => new Uint8Array(count)

const parts: Parts = {
  clock: new ScriptedClock(),
  randomBytes,
  immediate: (call) => void setImmediate(call),
  hold: () => undefined,
  onAttempt: () => undefined,
  governing: undefined,
  limits: defaultLimits,
  log: () => undefined,
  self: { host: 'h', program: 'p' },
}

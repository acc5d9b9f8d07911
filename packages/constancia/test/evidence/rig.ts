import { randomBytes } from 'node:crypto'
import type { StoreFactory } from 'constancia'
import { ScriptedClock } from 'constancia/testing'
import { type Report, type VerifyOptions, verifyBundle } from '../../../verify/dist/index.js'
import { nodeCrypto } from '../../../verify/dist/node.js'
import type { OutsidePlace } from '../../dist/evidence/index.js'
import {
  type LogKey,
  logKey,
  newKey,
  type Proof,
  type ProveRequest,
  proveRuns,
  Sealer,
  type SealerParts,
  signerOf,
} from '../../dist/evidence/log/index.js'
import {
  defaultLimits,
  draftOf,
  headOf,
  nothingSeen,
  parseRunId,
  type StoredEvent,
  type StreamId,
  seenOf,
} from '../../dist/journal/index.js'
import type { ErasedTexts, Store } from '../../dist/store/index.js'

export const origin = 'example.org/books'

/** A fresh key of the log. */
export function freshKey(): LogKey {
  return logKey(origin, signerOf(newKey(origin).signerKey))
}

/** A store, its clock, and what was told. */
export class Rig {
  readonly clock = new ScriptedClock(Date.UTC(2026, 0, 1))
  readonly told: string[] = []
  readonly mine: LogKey
  store!: Store
  readonly #factory: StoreFactory

  constructor(factory: StoreFactory, mine = freshKey()) {
    this.#factory = factory
    this.mine = mine
  }

  async open(): Promise<Store> {
    const parts = {
      clock: this.clock,
      randomBytes,
      limits: defaultLimits,
      warn: (text: string) => void this.told.push(text),
    }
    this.store = await this.#factory(parts)
    return this.store
  }

  sealer(
    outside: readonly OutsidePlace[] = [],
    changes: Partial<Pick<SealerParts, 'mine' | 'store' | 'holder' | 'timeStamps' | 'witnesses'>> = {},
  ): Promise<Sealer> {
    const { mine = this.mine, store = this.store, holder = 'one', timeStamps = [], witnesses = [] } = changes
    const tell = (level: string, message: string): void => void this.told.push(`${level}: ${message}`)
    return Sealer.start({ store, mine, outside, witnesses, clock: this.clock, holder, tell, timeStamps })
  }

  /** Starts a run with so many further events; the last one ends it where it says so. */
  async run(id: string, steps = 3, isEnded = true): Promise<void> {
    const body = { flow: 'f', version: 1, actor: null, contract: null, patches: [] }
    const drafts = [draftOf('FlowStarted', body, '{"input":1}')]
    for (let op = 0; op < steps; op += 1)
      drafts.push({
        kind: 'StepCompleted',
        body: JSON.stringify({ op: String(op), name: 's', attempt: 1 }),
        data: `"${id}"`,
      })
    if (isEnded) drafts.push(draftOf('FlowCompleted', {}, '"done"'))
    await this.store.create({ run: parseRunId(id), drafts, by: 'system:api', seen: nothingSeen })
  }

  /** Adds an event to a run from outside. */
  async signal(id: string, delivery: string): Promise<void> {
    const draft = draftOf('SignalReceived', { name: 'paid', delivery }, '1')
    const decide = () => ({ drafts: [draft], result: 0 })
    await this.store.decide({ run: parseRunId(id), delivery, by: 'principal:bob', seen: nothingSeen, decide })
  }

  /** Makes somebody the first administrator. */
  async grant(principal: string): Promise<void> {
    const body = JSON.stringify({ principal, role: 'administrator', untilMs: null, source: 'bootstrap' })
    const drafts = [{ kind: 'RoleGranted', body, data: undefined }]
    const stream = 'governance' as StreamId
    const last = (await this.store.read(stream)).at(-1)
    const seen = last === undefined ? nothingSeen : seenOf(headOf(last))
    await this.store.record({ stream, head: undefined, drafts, by: `principal:${principal}`, seen })
  }

  /** Erases texts, as the administrator that was granted that role. */
  async erase(texts: readonly ErasedTexts[]): Promise<void> {
    const drafts = [{ kind: 'Erased', body: JSON.stringify({ texts, principal: null }), data: undefined }]
    const stream = 'governance' as StreamId
    const head = headOf((await this.store.read(stream)).at(-1) as StoredEvent)
    await this.store.record({ stream, head, drafts, by: 'principal:ada', seen: seenOf(head) })
  }

  prove(runs: readonly string[], more: Partial<ProveRequest> = {}): Promise<Proof> {
    return proveRuns(this.store, { of: { runs: runs.map(parseRunId) }, origin, ...more })
  }

  verify(bytes: AsyncIterable<Uint8Array>, more: Partial<VerifyOptions> = {}): Promise<Report> {
    return verifyBundle(bytes, { crypto: nodeCrypto, keys: [this.mine.key.text], origin, ...more })
  }
}

/** All bytes of a bundle. */
export async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const some of bytes) all.push(some)
  return Buffer.concat(all)
}

/** Bytes as they come. */
export async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += 4_096) yield bytes.subarray(from, from + 4_096)
}

/** What a report failed for. */
export function failed({ checks }: Report): string[] {
  return checks
    .filter(({ result }) => result === 'failed')
    .flatMap(({ name, reasons }) =>
      reasons.map(({ message, stream, seq }) => `${name} ${stream ?? ''} ${seq ?? ''} ${message}`),
    )
}

import { randomBytes } from 'node:crypto'
import type { MovableUnderTest } from 'constancia/testing'
import { afterEach, expect } from 'vitest'
import { z } from 'zod'
import { shownDigestOf } from '../../dist/governance/approvals/shown.js'
import { action } from '../../dist/governance/contract/action.js'
import { type Contract, contract } from '../../dist/governance/contract/contract.js'
import { idempotent } from '../../dist/governance/contract/effect.js'
import { allow, declaredApproval } from '../../dist/governance/contract/rule.js'
import { Governance } from '../../dist/governance/governance.js'
import { draftOf, type RunBodies } from '../../dist/governance/kinds.js'
import { LawBook } from '../../dist/governance/law-book.js'
import {
  type Bodies,
  type ConstanciaError,
  type Draft,
  defaultLimits,
  draftOf as engineDraftOf,
  headOf,
  nothingSeen,
  type OpId,
  parseRunId,
  type RunId,
  runStream,
  type StoredEvent,
  type StreamId,
} from '../../dist/journal/index.js'
import type { Claim, Clock, Store } from '../../dist/store/index.js'
import type { StoreName } from '../engine/rig.js'
import { underPostgres } from '../postgres/under-test.js'
import { underMemory, underSqlite } from '../store/stores.js'
import { inWords, replayed } from './replayed.js'

export const day = 86_400_000
const leaseMs = 10_000 * day

const open = { memory: underMemory, SQLite: underSqlite, PostgreSQL: () => underPostgres(true) }
const made: MovableUnderTest[] = []

// Whatever was changed here was permitted, and an auditor must find that it was.
afterEach(async () => {
  for (const given of made.splice(0)) {
    try {
      const law = await given.store.read('governance' as StreamId, { fromSeq: 0, limit: 100_000 })
      expect(inWords(replayed(new Map([['governance', law]])).findings)).toEqual([])
    } finally {
      await given.dispose()
    }
  }
})

/** A store, its clock, and a governance that stands on it; `ada` is its first administrator. */
export class World {
  readonly given: MovableUnderTest
  readonly store: Store
  readonly clock: Clock
  readonly governance: Governance
  readonly #claims = new Map<string, Claim>()
  readonly #streams: Record<'governance' | 'refusals', StoredEvent[]> = { governance: [], refusals: [] }
  #runCount = 0

  private constructor(given: MovableUnderTest) {
    this.given = given
    this.store = given.store
    this.clock = { now: () => given.nowMs(), monotonic: () => given.nowMs(), after: () => () => undefined }
    this.governance = this.governanceOn(given.store)
    made.push(given)
  }

  /** Where nobody was ever granted anything. */
  static async bare(store: StoreName): Promise<World> {
    return new World(await open[store]())
  }

  static async of(store: StoreName): Promise<World> {
    const world = await World.bare(store)
    await world.governance.directory.bootstrap({ principal: 'ada', by: 'ada' })
    return world
  }

  /** With a contract in force, and these roles granted. */
  static async governed(store: StoreName, roles: Readonly<Record<string, readonly string[]>> = {}): Promise<World> {
    const world = await World.of(store)
    await world.governance.activate({ contract: treasury(), by: 'ada' })
    for (const [principal, held] of Object.entries(roles)) {
      for (const role of held) await world.grant(principal, role)
    }
    return world
  }

  /** Another process: a handle of its own, which has read nothing yet. */
  async another(): Promise<Governance> {
    return this.governanceOn(await this.given.another())
  }

  governanceOn(store: Store): Governance {
    return new Governance({
      store,
      book: new LawBook(store, this.clock),
      clock: this.clock,
      limits: defaultLimits,
      newId: () => randomBytes(12).toString('hex'),
      checkAmended: (_, text) => {
        const parsed = paymentInput.safeParse(JSON.parse(text))
        return parsed.success ? undefined : 'It does not fit the input of bank.transfer.'
      },
      checkOutput: (_, text) =>
        text === undefined || text.startsWith('{') ? undefined : 'It does not fit the output.',
    })
  }

  async grant(principal: string, role: string, untilMs?: number): Promise<void> {
    await this.governance.directory.grant({ principal, role, by: 'ada', ...(untilMs === undefined ? {} : { untilMs }) })
  }

  async revoke(principal: string, role: string): Promise<void> {
    await this.governance.directory.revoke({ principal, role, by: 'ada' })
  }

  /** Starts a run by hand and claims it; nobody executes it. */
  async run(actor: string | null = 'ana', id = `r${++this.#runCount}`): Promise<RunId> {
    const run = parseRunId(id)
    const body: Bodies['FlowStarted'] = { flow: 'pay', version: 1, actor, contract: null, patches: [] }
    await this.store.create({
      run,
      drafts: [engineDraftOf('FlowStarted', body, '{}')],
      by: 'system:test',
      seen: nothingSeen,
    })
    const flows = [{ flow: 'pay', version: 1 }]
    const { claims } = await this.store.claim({ worker: 'test', flows, limit: 1, leaseMs, lostLeaseCountMax: 5 })
    const [claim] = claims
    if (claim?.run !== run) throw new Error(`Run ${run} was to be due, but it was ${claim?.run}.`)
    this.#claims.set(run, claim)
    return run
  }

  /** Adds to a run as its owner, at its head. */
  async append(run: RunId, ...drafts: readonly Draft[]): Promise<readonly StoredEvent[]> {
    const claim = this.#claims.get(run)
    const last = (await this.events(run)).at(-1)
    if (claim === undefined || last === undefined) throw new Error(`Run ${run} is not owned here.`)
    const answer = await this.store.append({ claim, head: headOf(last), drafts, seen: nothingSeen, readSignalCount: 0 })
    if (answer.kind !== 'appended') throw new Error(`Events for run ${run} were refused: ${answer.kind}.`)
    return answer.events
  }

  /** Adds to a run as its owner, or nothing where somebody outside was first. */
  async appendUnlessMoved(run: RunId, ...drafts: readonly Draft[]): Promise<void> {
    const claim = this.#claims.get(run)
    const head = (await this.store.run(run))?.head
    if (claim === undefined || head === undefined) throw new Error(`Run ${run} is not owned here.`)
    const answer = await this.store.append({ claim, head, drafts, seen: nothingSeen, readSignalCount: 0 })
    if (answer.kind !== 'appended' && answer.kind !== 'head_conflict') throw new Error(answer.kind)
  }

  /** Starts a run that asks for an approval in op 0; returns the run and what is shown. */
  async asked(policy: Partial<Policy> = {}, ask: Ask = {}): Promise<Asked> {
    const run = await this.run(ask.actor)
    return this.ask(run, policy, ask)
  }

  /** Asks for an approval in a run. */
  async ask(
    run: RunId,
    policy: Partial<Policy> = {},
    { op = '0', text = '{"to":"acme","cents":100}', plain }: Ask = {},
  ): Promise<Asked> {
    const shown = shownDigestOf(run, op as OpId, text)
    const body: RunBodies['ApprovalRequested'] = {
      op: op as OpId,
      verb: 'approval',
      name: 'treasury',
      contract: treasury().digest,
      action: plain === true ? null : 'bank.transfer',
      rule: null,
      policy: declaredApproval({ roles: ['treasurer'], ...policy }),
      shown,
    }
    await this.append(run, draftOf('ApprovalRequested', body, text))
    return { run, op, shown }
  }

  async cancel(run: RunId): Promise<void> {
    const drafts = [engineDraftOf('CancelRequested', {})]
    const decide = (): { drafts: Draft[]; result: undefined } => ({ drafts, result: undefined })
    await this.store.decide({ run, delivery: undefined, by: 'system:test', seen: nothingSeen, decide })
  }

  events(run: RunId): Promise<StoredEvent[]> {
    return this.store.read(runStream(run))
  }

  async kinds(run: RunId): Promise<readonly string[]> {
    return (await this.events(run)).map(({ kind }) => kind)
  }

  /** A stream from a place on. It only grows: what was read is not read again. */
  async stream(name: 'governance' | 'refusals', fromSeq = 0): Promise<StoredEvent[]> {
    const known = this.#streams[name]
    known.push(...(await this.store.read(name as StreamId, { fromSeq: known.length })))
    return known.slice(fromSeq)
  }

  /** The last event of the refusals stream, with who tried it, when what was known, and its body. */
  async lastRefusal(): Promise<{ kind: string; by: string; body: Record<string, unknown> } | undefined> {
    const last = (await this.stream('refusals')).at(-1)
    return last && { kind: last.kind, by: last.by, body: JSON.parse(last.body) as Record<string, unknown> }
  }
}

type Policy = Parameters<typeof declaredApproval>[0]

/** How an approval is asked for. */
export interface Ask {
  readonly actor?: string | null
  readonly op?: string
  readonly text?: string
  /** A plain question. */
  readonly plain?: true
}

/** An approval that was asked for. */
export interface Asked {
  readonly run: RunId
  readonly op: string
  readonly shown: string
}

export const paymentInput = z.object({ to: z.string(), cents: z.number().int().positive() })
const output = z.object({ receipt: z.string() })

const transfer = action({
  name: 'bank.transfer',
  input: paymentInput,
  output,
  effect: idempotent({ remembersMs: day }),
  run: () => ({ receipt: 'r' }),
})
const notify = action({
  name: 'notify',
  input: z.object({ text: z.string() }),
  effect: idempotent({ remembersMs: day }),
  run: () => null,
})

/** The contract of these tests, or a variant of it. */
export function treasury(
  change: { version?: string; activation?: { roles: string[]; quorum?: number }; more?: string } = {},
): Contract {
  const { version = '1', activation, more } = change
  return contract({
    name: 'treasury',
    version,
    roles: {
      analyst: 'prepares payments',
      treasurer: 'releases them',
      cfo: 'decides what waits',
      ...(more === undefined ? {} : { [more]: 'is new' }),
    },
    flows: [{ name: 'pay', version: 1, resume: 'anyone' }],
    rules: [
      allow(transfer)
        .to('analyst')
        .afterApproval({ roles: ['treasurer'], notBy: 'actor' }),
      allow(notify).to('analyst', 'cfo'),
    ],
    ...(activation === undefined ? {} : { activation }),
  })
}

/** What a promise is rejected with; fails if it is not. */
export async function refusal(promise: Promise<unknown>): Promise<ConstanciaError> {
  try {
    await promise
  } catch (error) {
    return error as ConstanciaError
  }
  throw new Error('It was to be refused, and was not.')
}

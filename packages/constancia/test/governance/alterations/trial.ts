import { type GovernedRuntime, NotDispatched, type Run } from 'constancia'
import { memory, memoryDisk, ScriptedClock } from 'constancia/testing'
import { type Draft, parseRunId } from '../../../dist/journal/index.js'
import type { Append, Claim, Decide, RecordRequest, Store } from '../../../dist/store/index.js'
import { uniqueBytes } from '../../../dist/testing/unique-bytes.js'
import { Life, overStore } from '../../engine/life.js'
import { Judgement, type Refusal } from './judged.js'
import { draftsOf, lawDraft } from './law-drafts.js'
import { cents, destinations, type Office, officeOf, withinMs } from './office.js'
import { type Alteration, type Case, type Place, places } from './words.js'
import { WorldModel } from './world-model.js'

/** What became of a case. */
export interface Tried {
  readonly refusals: readonly Refusal[]
  /** Where something was altered; what was not reached is not among it. */
  readonly altered: readonly Place[]
  /** How often the destination did it. */
  readonly doneCount: number
  readonly status: string
  readonly passedCount: number
}

const year = 365 * 86_400_000
const governance = 'governance' as never
let trialCount = 0

/** Plays a case from its start to its end, with every decision judged when it is stored. Rejects where one is wrong. */
export async function tried(given: Case): Promise<Tried> {
  const trial = new Trial(given)
  try {
    return await trial.play()
  } finally {
    await trial.end()
  }
}

class Trial {
  readonly #given: Case
  readonly #clock = new ScriptedClock()
  readonly #startMs = this.#clock.now()
  readonly #factory = memory(memoryDisk())
  // Salts hide nothing here, and drawing them would take longer than what they are for.
  readonly #random = uniqueBytes(1)
  readonly #model: WorldModel
  readonly #judgement: Judgement
  readonly #office: Office
  readonly #reached = new Set<Place>()
  readonly #name = `case-${trialCount++}`
  readonly #done = new Map<string, number>()
  #life: Life | undefined
  #law: Store | undefined
  #claim: Claim | undefined
  #isArmed = false
  #isOpen = false
  #fault: unknown
  #mishapIsDue = true
  #authorizedEpoch = -1

  constructor(given: Case) {
    this.#given = given
    this.#model = new WorldModel(given, cents)
    this.#judgement = new Judgement(this.#model, given)
    this.#judgement.withinMs = withinMs
    this.#office = officeOf(given.protocol, given.quorum)
  }

  async play(): Promise<Tried> {
    await this.#opens()
    await this.#begins()
    await this.#votes()
    if (!this.#judgement.isResolved) this.#passes(withinMs)
    await this.#rests()
    await this.#settles()
    const row = await this.#run.row()
    return {
      refusals: this.#judgement.refusals,
      altered: places.filter((place) => this.#reached.has(place) && this.#given.altered.has(place)),
      doneCount: [...this.#done.values()].reduce((sum, count) => sum + count, 0),
      status: row.status,
      passedCount: this.#judgement.passedCount,
    }
  }

  async end(): Promise<void> {
    destinations.delete(this.#name)
    await this.#life?.crash()
  }

  get #runtime(): GovernedRuntime {
    return (this.#life as Life).runtime as GovernedRuntime
  }

  get #run(): Run {
    return this.#runtime.run('r')
  }

  get #store(): Store {
    return this.#law as Store
  }

  async #opens(): Promise<void> {
    const { flows, contractWith } = this.#office
    const contract = contractWith([])
    const options = { contract, meddle: (store: Store) => this.#watched(store) }
    const life = new Life({ clock: this.#clock, factory: this.#factory, options })
    this.#life = life
    const worker = { name: 'one', leaseMs: year, pollMs: year / 2, lostLeaseCountMax: 1_000 }
    await life.open({
      store: life.factory,
      flows,
      worker,
      log: life.log,
      contract,
      parts: { ...life.parts, randomBytes: this.#random },
    })
    this.#law = life.store
    this.#isOpen = true
  }

  async #begins(): Promise<void> {
    destinations.set(this.#name, {
      look: () => this.#looks(),
      send: (key, epoch) => this.#sends(key, epoch),
      isDone: (key) => this.#done.has(key),
    })
    const first = { principal: 'root', role: 'administrator', untilMs: null, source: 'bootstrap' }
    this.#records([lawDraft('RoleGranted', first)])
    this.#records(draftsOf({ kind: 'amend', amendments: [] }, this.#office))
    for (const one of ['ann clerk', 'ann analyst', 'tom treasurer', 'una treasurer', 'eve treasurer', 'rob robot']) {
      const [principal = '', role = ''] = one.split(' ')
      const untilMs = this.#endOf(one)
      this.#model.grant(principal, role, untilMs ?? Number.POSITIVE_INFINITY)
      this.#records([lawDraft('RoleGranted', { principal, role, untilMs, source: 'direct' })])
    }
    const untilMs = this.#endOf('una del') ?? this.#startMs + year
    this.#model.delegate('una', 'del', untilMs)
    this.#records([lawDraft('DelegationGranted', { from: 'una', to: 'del', roles: ['treasurer'], untilMs })])
    const flow = this.#office.flows.find(({ name }) => name === this.#given.style)
    await this.#runtime.start(flow as never, this.#name as never, { id: 'r', actor: 'ann' })
    await this.#rests()
    this.#isArmed = true
  }

  #endOf(what: string): number | null {
    return this.#given.ending.includes(what) ? this.#startMs + this.#given.endsMs : null
  }

  async #votes(): Promise<void> {
    await this.#reach('after the request')
    const asked = (await this.#run.events()).findLast(({ kind }) => kind === 'ApprovalRequested')
    const { op, shown } = JSON.parse(asked?.body ?? '{}') as { readonly op: string; readonly shown: string }
    for (const voter of this.#given.voters) {
      if (this.#judgement.isResolved) return
      const isOfOther = this.#given.liar === voter
      const named = isOfOther ? shown.replace(/./, (first) => (first === '0' ? '1' : '0')) : shown
      this.#judgement.voting = { voter, isOfOther }
      await this.#runtime.governance
        .vote({ run: 'r', op, voter, choice: 'approve', shown: named })
        .catch(requireRefused)
      this.#judgement.voting = undefined
      if (!this.#judgement.isResolved) await this.#reach('between the votes')
    }
  }

  // What nobody knows the outcome of is stated once, by the first who may say it.
  async #settles(): Promise<void> {
    if ((await this.#run.row()).status !== 'paused') return
    await this.#reach('before somebody says what came of it')
    const op = (await this.#run.events()).findLast(({ kind }) => kind === 'OutcomeUnknown')
    if (op === undefined) throw new Error('It waits for people, and nothing is in doubt.')
    const { op: place } = JSON.parse(op.body) as { readonly op: string }
    for (const stater of ['eve', 'tom', 'una', 'rob', 'root']) {
      const said = this.#runtime.governance.state({ run: 'r', op: place, stater, outcome: 'not_done' })
      const isTaken = await said.then(
        () => true,
        (error: unknown) => requireRefused(error),
      )
      if (isTaken) return this.#rests()
    }
  }

  async #looks(): Promise<true | string> {
    await this.#reach('while somebody looks at the situation')
    const { objection } = this.#model
    this.#judgement.seen = objection
    return objection ?? true
  }

  async #sends(key: string, epoch: number): Promise<null> {
    this.#guard(() => this.#judgement.sends(epoch !== this.#authorizedEpoch))
    const mishap = this.#mishapIsDue ? this.#given.mishap : 'nothing'
    switch (mishap) {
      case 'the first attempt is not sent':
        this.#mishapIsDue = false
        await this.#reach('while it is sent')
        throw new NotDispatched('Nobody listens.')
      case 'the first attempt is cut off':
        this.#mishapIsDue = false
        await this.#reach('while it is sent')
        throw new Error('The line was cut.')
      case 'the process ends while it is sent':
        this.#mishapIsDue = false
        await this.#reach('while it is sent')
        this.#endsHere()
        return new Promise(() => undefined)
      default:
        this.#done.set(key, (this.#done.get(key) ?? 0) + 1)
        return null
    }
  }

  #endsHere(): void {
    this.#dies().catch((error: unknown) => {
      this.#fault ??= error
    })
  }

  /** The process is gone, and another takes its runs up. */
  async #dies(): Promise<void> {
    const claim = this.#claim
    const life = this.#life as Life
    this.#life = undefined
    this.#isOpen = false
    await life.crash()
    this.#law = await this.#factory({
      clock: this.#clock,
      randomBytes: this.#random,
      limits: { bodyBytesMax: 1 << 20 } as never,
      warn: () => undefined,
    })
    if (claim !== undefined) await this.#store.release(claim)
    this.#judgement.mustDeny = false
    await this.#reach('while its process is down')
    await this.#opens()
  }

  // ---- what happens at each place

  async #reach(place: Place): Promise<void> {
    if (!this.#isArmed || this.#reached.has(place)) return
    this.#reached.add(place)
    for (const alteration of this.#given.altered.get(place) ?? []) await this.#alter(alteration)
  }

  async #alter(alteration: Alteration): Promise<void> {
    if (alteration.kind === 'time') return this.#passes(this.#startMs + alteration.toMs - this.#clock.now())
    if (alteration.kind === 'withdraw') return this.#withdraws(alteration.voter)
    this.#model.take(alteration)
    this.#records(draftsOf(alteration, this.#office))
  }

  async #withdraws(voter: string): Promise<void> {
    const asked = (await this.#store.read(`run/r` as never)).findLast(({ kind }) => kind === 'ApprovalRequested')
    const { op } = JSON.parse(asked?.body ?? '{}') as { readonly op: string }
    // A process that is just beginning takes nothing yet.
    if (!this.#isOpen) return
    await this.#runtime.governance.withdraw({ run: 'r', op, voter }).catch(requireRefused)
  }

  // In memory it is there when this returns.
  #records(drafts: readonly Draft[]): void {
    if (drafts.length === 0) return
    void this.#store.record({ stream: governance, head: undefined, drafts, by: 'principal:root', seen: '-/-' })
  }

  #passes(byMs: number): void {
    if (byMs <= 0) return
    this.#clock.advance(byMs)
    this.#model.nowMs = this.#clock.now()
  }

  /** Lets the run go on, through scripted time, until it has ended or waits for people. */
  async #rests(): Promise<void> {
    for (let spins = 0; ; spins += 1) {
      if (this.#fault !== undefined) throw this.#fault
      if (spins > 20_000) throw new Error(`Seed ${this.#given.seed}: the run does not come to rest.`)
      await new Promise(setImmediate)
      const row = this.#life === undefined || this.#life.dead ? undefined : await this.#store.run(parseRunId('r'))
      if (row === undefined || !resting.has(row.status)) continue
      if (row.status !== 'waiting' || row.wakeAtMs === undefined) return
      await this.#reach('before it is tried again')
      this.#passes(row.wakeAtMs - this.#clock.now())
    }
  }

  // ---- what the store is asked

  #watched(store: Store): Store {
    return overStore(store, {
      append: (request) => this.#append(store, request),
      decide: (request) => this.#decide(store, request),
      record: (request) => this.#record(store, request),
      claim: async (request) => {
        if (this.#judgement.isResolved) await this.#reach('before the run is taken up')
        const answer = await store.claim(request)
        if (answer.claims.length === 0) return answer
        this.#claim = answer.claims[0]
        if (this.#mishapIsDue) await this.#reach('after it was taken up')
        else await this.#reach('after another has taken it up')
        if (this.#isArmed) this.#judgement.mustDeny = !this.#model.isResumable
        return answer
      },
    })
  }

  async #append(store: Store, request: Append): Promise<Awaited<ReturnType<Store['append']>>> {
    const kinds = request.drafts.map(({ kind }) => kind)
    if (kinds.includes('ResumeAuthorized')) await this.#reach('before it may resume')
    if (kinds.includes('ActionAuthorized')) await this.#reach('before it is authorised')
    this.#model.nowMs = this.#clock.now()
    const answering = store.append(request)
    const answer = await answering
    if (answer.kind !== 'appended') return answer
    this.#guard(() => this.#judgement.stores(request.drafts, true))
    await this.#stored(kinds, request.claim.epoch)
    return answer
  }

  async #decide<T>(store: Store, request: Decide<T>): Promise<T> {
    let kinds: readonly string[] = []
    const byOwner = request.by.startsWith('claim:')
    const answer = await store.decide<T>({
      ...request,
      decide: (facts) => {
        const decision = request.decide(facts)
        kinds = decision.drafts.map(({ kind }) => kind)
        this.#model.nowMs = this.#clock.now()
        this.#guard(() => this.#judgement.stores(decision.drafts, byOwner))
        return decision
      },
    })
    await this.#stored(kinds, this.#claim?.epoch ?? -1)
    return answer
  }

  async #stored(kinds: readonly string[], epoch: number): Promise<void> {
    if (kinds.includes('ResumeAuthorized')) {
      await this.#reach('after it may resume')
      await this.#mishap('the process ends after it may resume')
    }
    if (kinds.includes('ActionAuthorized')) {
      this.#authorizedEpoch = epoch
      await this.#reach('after it was authorised')
      await this.#mishap('the process ends with an open intent')
    }
  }

  async #mishap(which: Case['mishap']): Promise<void> {
    if (this.#given.mishap !== which || !this.#mishapIsDue || !this.#isArmed) return
    this.#mishapIsDue = false
    this.#endsHere()
    await new Promise(() => undefined)
  }

  #record(store: Store, request: RecordRequest): ReturnType<Store['record']> {
    const refused = request.drafts.filter(
      ({ kind, body }) => kind === 'VoteRefused' && (JSON.parse(body) as { choice: string }).choice === 'approve',
    )
    this.#model.nowMs = this.#clock.now()
    if (refused.length > 0) this.#guard(() => this.#judgement.stores(refused, false))
    return store.record(request)
  }

  // What is found wrong fails the case, whoever catches it on the way.
  #guard(judge: () => void): void {
    try {
      judge()
    } catch (error) {
      this.#fault ??= error
      throw error
    }
  }
}

const resting = new Set(['waiting', 'paused', 'stuck', 'completed', 'failed', 'cancelled'])

// Whatever else goes wrong is no refusal.
function requireRefused(error: unknown): false {
  if ((error as { readonly code?: string }).code === 'vote_refused') return false
  throw error
}

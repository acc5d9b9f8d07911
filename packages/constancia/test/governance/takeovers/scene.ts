import type { GovernedRuntime } from 'constancia'
import { memory, memoryDisk, ScriptedClock } from 'constancia/testing'
import { emptyHead, parseRunId, type StoredEvent, verifyChain } from '../../../dist/journal/index.js'
import type { Store } from '../../../dist/store/index.js'
import { uniqueBytes } from '../../../dist/testing/unique-bytes.js'
import { Life, overStore } from '../../engine/life.js'
import { lawDraft } from '../alterations/law-drafts.js'
import { destinations, type Office, officeOf } from '../alterations/office.js'
import type { Protocol } from '../alterations/words.js'
import type { Actor, Schedule } from './schedule.js'

/** What is played: the flow, and what the destination of its effect offers. */
export interface Played {
  readonly style: 'ask-first' | 'just-do'
  readonly protocol: Protocol
  /** Somebody's grant ends soon, so that the owner decides in the transaction that stores it. */
  readonly endsSoon: boolean
}

/** What a play came to. */
export interface Outcome {
  readonly status: string
  readonly events: readonly StoredEvent[]
  /** Each request that reached the destination, and each question, in their order. */
  readonly asked: readonly string[]
  /** What the worker that lost its claim was not refused. */
  readonly usurped: readonly string[]
  /** How often it was refused. */
  readonly refusedCount: number
  /** How many places it came to before it was overtaken. */
  readonly placeCount: number
}

const leaseMs = 60_000
// Where something ends within a minute, decisions are made with care.
const soonMs = 50_000
const id = parseRunId('r')

/** Plays a run whose worker is overtaken at a place, counted from 0, or is not, in the order that a schedule says. */
export async function played(given: Played, overtakenAt: number | undefined, schedule: Schedule): Promise<Outcome> {
  const scene = new Scene(given, overtakenAt, schedule)
  try {
    return await scene.play()
  } finally {
    await scene.end()
  }
}

/** Somebody who is about to do something, and waits until it is its turn. */
interface Pending {
  readonly what: string
  readonly go: () => void
}

class Scene {
  readonly #given: Played
  readonly #overtakenAt: number | undefined
  readonly #schedule: Schedule
  readonly #clock = new ScriptedClock()
  readonly #disk = memoryDisk()
  readonly #office: Office
  // The same in every scene, one of which is played at a time: what they store is compared.
  readonly #name = 'takeover'
  readonly #pending = new Map<Actor, Pending[]>()
  readonly #lives: Life[] = []
  readonly #asked: string[] = []
  readonly #done = new Set<string>()
  readonly #usurped: string[] = []
  #refusedCount = 0
  #placeCount = 0
  #busyCount = 0
  #isOvertaken = false
  #voteCount = 0
  #store: Store | undefined
  #people: GovernedRuntime | undefined

  constructor(given: Played, overtakenAt: number | undefined, schedule: Schedule) {
    this.#given = given
    this.#overtakenAt = overtakenAt
    this.#schedule = schedule
    this.#office = officeOf(given.protocol, 2)
  }

  async play(): Promise<Outcome> {
    const { contractWith, flows } = this.#office
    const people = await this.#opens('people')
    this.#people = people.runtime as GovernedRuntime
    await this.#opens('zombie')
    const store = this.#store as Store
    const { declared, digest, text } = contractWith([])
    const { name, version } = declared
    const drafts = [
      lawDraft('RoleGranted', { principal: 'root', role: 'administrator', untilMs: null, source: 'bootstrap' }),
      lawDraft('ContractConfirmed', { digest, confirmer: 'root', roles: ['administrator'] }),
      lawDraft('ContractActivated', { name, version, digest, approvedBy: ['root'] }, text),
      ...['ann clerk', 'ann analyst', 'tom treasurer', 'eve treasurer'].map((one) => {
        const [principal, role] = one.split(' ')
        return lawDraft('RoleGranted', { principal, role, untilMs: null, source: 'direct' })
      }),
    ]
    if (this.#given.endsSoon) {
      const untilMs = this.#clock.now() + soonMs
      drafts.push(lawDraft('RoleGranted', { principal: 'zoe', role: 'clerk', untilMs, source: 'direct' }))
    }
    await store.record({ stream: 'governance' as never, head: undefined, drafts, by: 'principal:root', seen: '-/-' })
    destinations.set(this.#name, {
      look: async () => true,
      send: (key, epoch) => this.#sends(key, epoch),
      isDone: (key) => this.#finds(key),
    })
    const flow = flows.find((one) => one.name === this.#given.style)
    await this.#people.start(flow as never, this.#name as never, { id, actor: 'ann' })
    await this.#goOn()
    const row = await store.run(id)
    const events = await store.read('run/r' as never)
    verifyChain('run/r' as never, emptyHead('run/r' as never), events)
    return {
      status: row?.status ?? 'none',
      events,
      asked: this.#asked,
      usurped: this.#usurped,
      refusedCount: this.#refusedCount,
      placeCount: this.#placeCount,
    }
  }

  async end(): Promise<void> {
    destinations.delete(this.#name)
    for (const life of this.#lives) await life.crash()
  }

  async #opens(actor: 'zombie' | 'successor' | 'people'): Promise<Life> {
    const { flows, contractWith } = this.#office
    const contract = contractWith([])
    // Whoever takes over looks when the lease has run out; nobody else sees that time.
    let takenMs = actor === 'successor' ? leaseMs + 1 : 0
    let leadMs = 0
    const clock = { ...bound(this.#clock), now: () => this.#clock.now() + leadMs }
    const inner = memory(this.#disk)
    const meddle = (store: Store): Store => {
      if (actor === 'people') return store
      return this.#scheduled(actor, store, async (request) => {
        leadMs = takenMs
        const answer = store.claim(request)
        leadMs = 0
        const { claims, nowMs, ...rest } = await answer
        const saidMs = nowMs - takenMs
        if (claims.length > 0) takenMs = 0
        return { ...rest, claims, nowMs: saidMs }
      })
    }
    const life = new Life({ clock: this.#clock, factory: (parts) => inner({ ...parts, clock }), options: { meddle } })
    this.#lives.push(life)
    await life.open({
      store: life.factory,
      flows,
      contract,
      worker: actor !== 'people' && { name: actor, leaseMs, pollMs: 300 * 86_400_000, lostLeaseCountMax: 1_000 },
      log: life.log,
      parts: {
        ...life.parts,
        randomBytes: uniqueBytes(this.#lives.length),
        immediate: (call) => this.#immediate(life, call),
      },
    })
    this.#store ??= life.store
    return life
  }

  #immediate(life: Life, call: () => void): void {
    this.#busyCount += 1
    setImmediate(() => {
      this.#busyCount -= 1
      if (!life.dead) call()
    })
  }

  // ---- who does what next

  async #goOn(): Promise<void> {
    for (;;) {
      await this.#settles()
      const outside = await this.#outside()
      const actors = (['zombie', 'successor'] as const).filter((actor) => (this.#pending.get(actor)?.length ?? 0) > 0)
      const options: Actor[] = [...actors, ...(outside === undefined ? [] : (['outside'] as const))]
      if (options.length === 0) return
      const actor = this.#schedule.choose(options)
      const next = actor === 'outside' ? undefined : this.#pending.get(actor)?.shift()
      this.#schedule.told.push(`${actor}: ${next?.what ?? outside?.what}`)
      if (next === undefined) await outside?.act()
      else next.go()
    }
  }

  // Nothing happens any more but what waits for its turn.
  async #settles(): Promise<void> {
    for (let quietCount = 0; quietCount < 3; ) {
      await new Promise(setImmediate)
      quietCount = this.#busyCount === 0 ? quietCount + 1 : 0
    }
  }

  // People answer, and time goes on, when whoever has the run has laid it to rest.
  async #outside(): Promise<{ readonly what: string; readonly act: () => Promise<void> } | undefined> {
    const row = await this.#store?.run(id)
    if (row?.status === 'paused' && row.waitingFor?.some(({ kind }) => kind === 'approval')) {
      return { what: `vote ${this.#voteCount + 1}`, act: () => this.#votes() }
    }
    if (row?.status !== 'waiting' || row.wakeAtMs === undefined) return undefined
    const wakeAtMs = row.wakeAtMs
    // Time that a destination needs to settle is time after which no request of before can land.
    if (this.#pending.get('zombie')?.some(({ what }) => what === 'effect')) return undefined
    return { what: 'time', act: async () => this.#clock.advanceTo(wakeAtMs) }
  }

  async #votes(): Promise<void> {
    const voter = ['tom', 'eve'][this.#voteCount++] as string
    const events = (await this.#store?.read('run/r' as never)) ?? []
    const { op, shown } = JSON.parse(events.findLast(({ kind }) => kind === 'ApprovalRequested')?.body ?? '{}')
    const answer = { run: id, op, shown, voter, choice: 'approve', delivery: `by-${voter}` } as const
    await this.#people?.governance.vote(answer)
  }

  // ---- what each of them does

  async #turn(actor: 'zombie' | 'successor', what: string): Promise<void> {
    if (actor === 'zombie' && !this.#isOvertaken) {
      const isHere = this.#placeCount === this.#overtakenAt
      this.#placeCount += 1
      if (!isHere) return
      this.#isOvertaken = true
      const waits = this.#waits(actor, what)
      void this.#opens('successor')
      return waits
    }
    return this.#waits(actor, what)
  }

  #waits(actor: Actor, what: string): Promise<void> {
    return new Promise((go) => {
      const pending = this.#pending.get(actor) ?? []
      pending.push({ what, go })
      this.#pending.set(actor, pending)
    })
  }

  #scheduled(actor: 'zombie' | 'successor', store: Store, claim: Store['claim']): Store {
    const overtaken = (): boolean => actor === 'zombie' && this.#isOvertaken
    const idle = { claims: [], nextDueAtMs: undefined, setAside: [], nowMs: this.#clock.now() }
    const watched = <T>(what: string, answer: T, isDone: boolean): T => {
      if (overtaken() && isDone) this.#usurped.push(what)
      if (overtaken() && !isDone) this.#refusedCount += 1
      return answer
    }
    return overStore(store, {
      claim: async (request) => (overtaken() ? idle : claim(request)),
      append: async (request) => {
        const kinds = request.drafts.map(({ kind }) => kind).join('+')
        await this.#turn(actor, `append ${kinds}`)
        const answer = await store.append(request)
        return watched(`append ${kinds}`, answer, answer.kind === 'appended')
      },
      suspend: async (request) => {
        await this.#turn(actor, 'suspend')
        const answer = await store.suspend(request)
        return watched('suspend', answer, answer)
      },
      release: async (request) => {
        await this.#turn(actor, 'release')
        const answer = await store.release(request)
        return watched('release', answer, answer)
      },
      read: async (stream, range) => {
        if (stream === 'run/r') await this.#turn(actor, 'read')
        return store.read(stream, range)
      },
      decide: async (request) => {
        if (!request.by.startsWith('claim:')) return store.decide(request)
        await this.#turn(actor, 'decide')
        let isDone = false
        const answer = await store.decide({
          ...request,
          decide: (facts) => {
            const decision = request.decide(facts)
            isDone = decision.drafts.length > 0
            return decision
          },
        })
        return watched('decide', answer, isDone)
      },
    })
  }

  // The first epoch is that of the worker that is overtaken while it has the run.
  async #sends(key: string, epoch: number): Promise<null> {
    const isZombie = this.#isOvertaken ? epoch < (await this.#epoch()) : true
    await this.#turn(isZombie ? 'zombie' : 'successor', 'effect')
    this.#asked.push(`send ${key}`)
    this.#done.add(key)
    return null
  }

  async #epoch(): Promise<number> {
    return (await this.#store?.run(id))?.epoch ?? 0
  }

  #finds(key: string): boolean {
    this.#asked.push(`find ${key}`)
    return this.#done.has(key)
  }
}

function bound(clock: ScriptedClock): Pick<ScriptedClock, 'now' | 'monotonic' | 'after'> {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, call) => clock.after(delayMs, call),
  }
}

import { describe, expect, test } from 'vitest'
import { draftOf } from '../../dist/governance/kinds.js'
import type { OpId } from '../../dist/journal/index.js'
import { type StoreName, stores } from '../engine/rig.js'
import { isCampaign } from '../processes/campaign.js'
import { type Asked, day, World } from './world.js'

/** What may arrive about one approval: two of three have to approve, within a day. */
const messages = ['tom approves', 'eve approves', 'ana rejects', 'tom withdraws', 'the deadline', 'a cancel'] as const
type Message = (typeof messages)[number]

/** What whoever sent a message is told: that it counts, with what it brought, or why not and what stands. */
type Told = string

// By the words of the requirements alone, and from nothing of what is tested: what the journal must say, and what each is told.
class Expected {
  readonly kinds = ['FlowStarted', 'ApprovalRequested']
  readonly told: Told[] = []
  #approving = new Set<string>()
  #withdrawn = false
  #resolved: string | undefined
  #cancelled = false
  #late = false
  readonly #answered = new Map<Message, Told>()

  take(message: Message): void {
    const before = this.#answered.get(message)
    if (before !== undefined) return void this.told.push(before)
    if (message === 'the deadline') return this.#deadline()
    if (message === 'a cancel') return this.#cancel()
    const objection = this.#objection()
    if (objection !== undefined) return void this.told.push(objection)
    const told = message === 'tom withdraws' ? this.#withdraw() : this.#vote(message)
    this.told.push(told)
    // A delivery that counted counts once; one that was refused is judged anew.
    if (told.startsWith('counts')) this.#answered.set(message, told)
  }

  #objection(): Told | undefined {
    if (this.#resolved !== undefined) return `resolved_already, ${this.#resolved} stands`
    if (this.#cancelled) return 'cancelled, cancelled stands'
    return this.#late ? 'too_late, expired stands' : undefined
  }

  #vote(message: Message): Told {
    const [voter = '', choice] = message.split(' ')
    this.kinds.push('ApprovalVoted')
    if (choice === 'approves') this.#approving.add(voter)
    if (choice === 'rejects') this.#resolved = 'rejected'
    else if (this.#approving.size === 2) this.#resolved = 'approved'
    if (this.#resolved === undefined) return 'counts'
    this.kinds.push('ApprovalResolved')
    return `counts, ${this.#resolved}`
  }

  #withdraw(): Told {
    if (!this.#approving.delete('tom')) return 'not_voted, open stands'
    this.#withdrawn = true
    this.kinds.push('ApprovalWithdrawn')
    return 'counts'
  }

  #deadline(): void {
    this.#late = true
    if (this.#resolved !== undefined || this.#cancelled) return
    this.#resolved = 'expired'
    this.kinds.push('ApprovalResolved')
  }

  #cancel(): void {
    if (this.#cancelled) return
    this.#cancelled = true
    this.kinds.push('CancelRequested')
  }

  get wasWithdrawn(): boolean {
    return this.#withdrawn
  }
}

/** Delivers messages to an approval, one after the other, and keeps what each is told. */
class Recipient {
  readonly told: Told[] = []
  readonly #world: World
  readonly #asked: Asked
  #isLate = false

  constructor(world: World, asked: Asked) {
    this.#world = world
    this.#asked = asked
  }

  async take(message: Message): Promise<void> {
    if (message === 'the deadline') return this.#deadline()
    if (message === 'a cancel') return this.#cancel()
    this.told.push(await toldBy(this.#send(message)))
  }

  async #send(message: Message): Promise<string | null> {
    const { governance } = this.#world
    const [voter = '', word = ''] = message.split(' ')
    if (word === 'withdraws') {
      await governance.withdraw({ ...this.#asked, voter, delivery: voter })
      return null
    }
    const choice = word === 'approves' ? 'approve' : 'reject'
    return (await governance.vote({ ...this.#asked, voter, choice, delivery: voter })).resolution
  }

  // What the owner of the run does once the time has come.
  async #deadline(): Promise<void> {
    if (!this.#isLate) await this.#world.given.advance(day)
    this.#isLate = true
    const kinds = await this.#world.kinds(this.#asked.run)
    if (kinds.includes('ApprovalResolved') || kinds.includes('CancelRequested')) return
    const about = { op: this.#asked.op as OpId, verb: 'approval', name: 'treasury' }
    await this.#world.append(this.#asked.run, draftOf('ApprovalResolved', { ...about, outcome: 'expired' }))
  }

  async #cancel(): Promise<void> {
    if (!(await this.#world.kinds(this.#asked.run)).includes('CancelRequested'))
      await this.#world.cancel(this.#asked.run)
  }
}

async function toldBy(sent: Promise<string | null>): Promise<Told> {
  try {
    const resolution = await sent
    return resolution === null ? 'counts' : `counts, ${resolution}`
  } catch (error) {
    const { code, details } = error as { code: string; details: { reason: string; stands: string } }
    if (code !== 'vote_refused') throw error
    return `${details.reason}, ${details.stands} stands`
  }
}

async function check(world: World, order: readonly Message[]): Promise<Expected> {
  const asked = await world.asked({ quorum: 2, within: day, notBy: 'actor' }, { actor: 'bob' })
  const refusedBefore = (await world.stream('refusals')).length
  const recipient = new Recipient(world, asked)
  const expected = new Expected()
  for (const message of order) {
    await recipient.take(message)
    expected.take(message)
  }
  expect({ order, told: recipient.told, kinds: await world.kinds(asked.run) }).toEqual({
    order,
    told: expected.told,
    kinds: expected.kinds,
  })
  expect(expected.kinds.filter((kind) => kind === 'ApprovalResolved').length).toBeLessThanOrEqual(1)
  const refused = await world.stream('refusals', refusedBefore)
  expect(refused.length).toBe(expected.told.filter((told) => told.endsWith('stands')).length)
  return expected
}

function* ordersOf(rest: readonly Message[]): Generator<readonly Message[]> {
  if (rest.length === 0) return yield []
  for (const first of rest) {
    for (const order of ordersOf(rest.filter((message) => message !== first))) yield [first, ...order]
  }
}

const repetitions: Readonly<Record<string, (order: readonly Message[]) => readonly Message[]>> = {
  'each once': (order) => order,
  'each twice at once': (order) => order.flatMap((message) => [message, message]),
  'all of it twice': (order) => [...order, ...order],
}

// Every so many orders on the slower stores.
const strides: Readonly<Record<StoreName, number>> = isCampaign
  ? { memory: 1, SQLite: 1, PostgreSQL: 1 }
  : { memory: 1, SQLite: 48, PostgreSQL: 48 }

describe.each(stores)('on %s', (store) => {
  test.each(Object.entries(repetitions))(
    'T14 R-D6 every order of six deliveries comes to one decision, and the losers are told which: %s',
    async (_, repeated) => {
      const world = await World.governed(store, { tom: ['treasurer'], eve: ['treasurer'], ana: ['treasurer'] })
      const outcomes = new Map<string, number>()
      let orderCount = 0
      let withdrawnCount = 0
      for (const [index, order] of [...ordersOf(messages)].entries()) {
        if (index % strides[store] !== 0) continue
        const expected = await check(world, repeated(order))
        orderCount++
        if (expected.wasWithdrawn) withdrawnCount++
        const resolving = expected.told.find((told) => told.startsWith('counts, ')) ?? 'counts for nothing'
        outcomes.set(resolving, (outcomes.get(resolving) ?? 0) + 1)
      }
      expect(orderCount).toBe(Math.ceil(720 / strides[store]))
      expect(withdrawnCount).toBeGreaterThan(0)
      if (store === 'memory')
        expect([...outcomes.keys()].sort()).toEqual(['counts for nothing', 'counts, approved', 'counts, rejected'])
    },
  )

  test('T14 R-D6 whatever up to six deliveries are, any of them left out or repeated, there is one decision', async () => {
    const world = await World.governed(store, { tom: ['treasurer'], eve: ['treasurer'], ana: ['treasurer'] })
    const count = isCampaign ? messages.length ** 6 : 1_200 / strides[store]
    // A stride that is prime to the number of all sequences meets each at most once.
    for (let n = 0, code = 0; n < count; n++, code = (code + 12_347) % messages.length ** 6) {
      const digits = code.toString(messages.length).padStart(6, '0')
      const order = [...digits].map((digit) => messages[Number(digit)] as Message).slice(0, 1 + (n % 6))
      await check(world, order)
    }
  })
})

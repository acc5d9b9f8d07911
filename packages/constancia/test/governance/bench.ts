import {
  action,
  allow,
  type Contract,
  type ContractDeclaration,
  contract,
  days,
  type EffectProtocol,
  flow,
  type GovernedRuntime,
  idempotent,
  type Run,
} from 'constancia'
import { z } from 'zod'
import { kindsOf, Rig, type StoreName, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'
import { Judge } from './judge.js'

export type Life = Awaited<ReturnType<Rig['live']>>

type Change = (declaration: ContractDeclaration) => ContractDeclaration

/** A destination that counts what it is asked, and may fail or fall silent. */
export class Destination {
  requestCount = 0
  readonly done = new Map<string, unknown>()
  situation: true | string = true
  /** What happens while somebody looks at the situation. */
  looking: (() => Promise<void>) | undefined
  /** What each further request comes to instead. */
  fails: (() => Promise<never>)[] = []
}

const input = z.object({ to: z.string(), cents: z.number().int() })

/** An action that two treasurers release, and the two ways in which a flow has it done. */
export function office(destination: Destination, given: { effect?: EffectProtocol; input?: z.ZodType } = {}) {
  const transfer = action({
    name: 'bank.transfer',
    input: (given.input ?? input) as typeof input,
    effect: given.effect ?? idempotent({ remembersMs: days(60) }),
    retry: { attemptsMax: 3, delayMsFirst: 3_600_000, jitter: 0 },
    stillValid: async () => {
      await destination.looking?.()
      return destination.situation
    },
    run: async (payment, { key }) => {
      destination.requestCount += 1
      await destination.fails.shift()?.()
      destination.done.set(key, payment)
      return null
    },
  })
  const policy = { roles: ['treasurer'], quorum: 2, notBy: 'actor', within: days(30) } as const
  const payment = { to: 'acme', cents: 9_000 }
  const common = { version: 1, resume: { roles: ['clerk'] }, models: 'none' } as const
  const ask = flow({
    ...common,
    name: 'ask-first',
    async run(ctx) {
      const decision = await ctx.approval('treasury', { for: transfer.with(payment), ...policy })
      return decision.outcome === 'approved' ? ctx.do(decision.action) : decision.outcome
    },
  })
  const direct = flow({ ...common, name: 'just-do', run: (ctx) => ctx.do(transfer, payment) })
  const declared = (change: Change = (one) => one, version = '1'): Contract =>
    contract(
      change({
        name: 'office',
        version,
        roles: { clerk: 'starts runs', analyst: 'prepares', treasurer: 'releases', robot: 'does nothing' },
        flows: [ask, direct],
        rules: [allow(transfer).to('analyst').when('input.cents <= 9000').afterApproval(policy)],
        templates: { 'resume-denied': 'You may no longer resume this.' },
      }),
    )
  return { transfer, policy, flows: { ask, direct }, declared }
}

export type Style = 'ask' | 'direct'

/** Everything about one case: a store, the law, and the process that is there at the moment. */
export class Bench {
  readonly rig: Rig
  readonly destination = new Destination()
  readonly office: ReturnType<typeof office>
  readonly court: Court
  readonly #contract: Contract
  #life: Life | undefined

  private constructor(store: StoreName, effect: EffectProtocol | undefined) {
    this.rig = new Rig(store)
    this.office = office(this.destination, effect === undefined ? {} : { effect })
    this.#contract = this.office.declared()
    this.court = new Court(() => this.life.store)
  }

  /** With ann, who asks, and two who may release: tom, and del in the place of una. */
  static async of(store: StoreName, effect?: EffectProtocol): Promise<Bench> {
    const bench = new Bench(store, effect)
    await bench.opens()
    const { court } = bench
    await court.activate(bench.#contract)
    for (const role of ['clerk', 'analyst']) await court.grant('ann', role)
    await court.grant('tom', 'treasurer')
    await court.grant('una', 'treasurer')
    await court.delegate({ from: 'una', to: 'del', roles: ['treasurer'], untilMs: bench.rig.clock.now() + days(90) })
    return bench
  }

  get life(): Life {
    if (this.#life === undefined) throw new Error('No process is there.')
    return this.#life
  }

  get runtime(): GovernedRuntime {
    return this.life.runtime as GovernedRuntime
  }

  get run(): Run {
    return this.runtime.run('r')
  }

  /** Starts a process; one that does not work on runs votes and changes the law all the same. */
  async opens(given: { works?: boolean; crashAfter?: number } = {}): Promise<void> {
    const { works = true, crashAfter } = given
    const { ask, direct } = this.office.flows
    this.#life = await this.rig.live([ask, direct], {
      contract: this.#contract,
      ...(works ? {} : { worker: false }),
      ...(crashAfter === undefined ? {} : { crashAfter }),
    })
  }

  /** The process is gone at once, and its leases run out. */
  async dies(): Promise<void> {
    await this.life.crash()
    this.rig.clock.advance(60_001)
  }

  /** Starts the run and waits until people are asked. */
  async begins(style: Style): Promise<void> {
    const { ask, direct } = this.office.flows
    await this.runtime.start(style === 'ask' ? ask : direct, null, { id: 'r', actor: 'ann' })
    await untilStatus(this.run, 'paused')
  }

  /** Puts what somebody says to the approval; answers with the reason of its refusal, if it is refused. */
  async votes(voter: string, more: { amended?: unknown; shown?: string } = {}): Promise<string | undefined> {
    const asked = (await this.run.events()).findLast(({ kind }) => kind === 'ApprovalRequested')
    const { op, shown } = JSON.parse(asked?.body ?? '{}')
    try {
      await this.runtime.governance.vote({ run: 'r', op, voter, choice: 'approve', shown, ...more })
      return undefined
    } catch (error) {
      return (error as { details?: { reason?: string } }).details?.reason ?? String(error)
    }
  }

  /** All the reasons for which something was refused, as the journals tell them. */
  async reasons(): Promise<string[]> {
    const events = await this.run.events()
    const refusals = await this.life.store.read('refusals' as never)
    return [...events, ...refusals].flatMap(({ kind, body, data }) => {
      const { code } = JSON.parse(body) as { readonly code?: string }
      if (kind === 'ActionDenied' || kind === 'VoteRefused') return [String(code)]
      if (kind === 'FlowFailed' && code === 'resume_denied') return [code]
      return kind === 'OutcomeUnknown' ? [`in doubt: ${data}`] : []
    })
  }

  kinds(): Promise<string[]> {
    return kindsOf(this.run)
  }

  /** Has every decision of the run judged from the journals; returns how many there were. */
  async judged(): Promise<number> {
    const judge = await Judge.of(this.life.store)
    await judge.run(this.life.store, 'r' as never)
    return [...judge.judged.values()].reduce((sum, count) => sum + count, 0)
  }
}

/** What governed flows of the golden test are made of: what they pay, where, who may, and who says what came of it. */
import { z } from 'zod'
import {
  type AnyAction,
  type AttemptInfo,
  action,
  allow,
  type Contract,
  contract,
  days,
  type EffectProtocol,
  flow,
  type GovernedFlow,
  type GovernedRuntime,
  idempotent,
  type Rule,
} from '../../dist/index.js'
import type {
  Destination,
  ScriptedCancel,
  ScriptedChange,
  ScriptedStater,
  ScriptedVote,
} from '../../dist/testing/index.js'
import { bank } from './effects.js'

/** A destination that remembers no keys: each request that lands is one more. */
export class Till implements Destination {
  readonly #landed = new Map<string, unknown[]>()

  land<T>(key: string, what: T): T {
    this.#landed.set(key, [...(this.#landed.get(key) ?? []), what])
    return what
  }

  landed(key: string): readonly unknown[] {
    return this.#landed.get(key) ?? []
  }

  reset(): void {
    this.#landed.clear()
  }

  accepted(): Readonly<Record<string, unknown>> {
    return Object.fromEntries([...this.#landed].sort(([a], [b]) => (a < b ? -1 : 1)))
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a flow takes its own input and nothing else; only `any` stands for all of them.
type AnyGoverned = GovernedFlow<any, unknown>

/** One governed flow of the golden test with all that its run needs. */
export interface GovernedGolden {
  readonly flow: AnyGoverned
  readonly input: unknown
  readonly contract: Contract
  readonly destination: Destination
  readonly votes?: readonly ScriptedVote[]
  readonly statements?: ScriptedStater
  readonly changes?: readonly ScriptedChange[]
  /** Those of its children. */
  readonly flows?: readonly AnyGoverned[]
  readonly cancel?: ScriptedCancel
  /** Until when its actor may act; for ever unless set. */
  readonly actorUntilMs?: number
  /** What its history has, so that it does not pass because it did something else. */
  readonly has: readonly string[]
  /** How many requests the destination accepts. */
  readonly acceptedCount: number
  /** For how long a process may be gone: no approval of it expires, and no destination forgets a key, unless that is told. */
  readonly downtimeMs?: number
}

/** Where effects go that no key protects. */
export const till = new Till()

/** What is paid. */
export const payment = z.object({ to: z.string(), cents: z.number().int().positive() })
type Payment = z.infer<typeof payment>

/** What a payment gives. */
export const receipt = z.object({ receipt: z.string() })

interface Transfer {
  readonly effect: EffectProtocol
  readonly undo?: AnyAction
  /** What becomes of a request, by its attempt; it lands and is answered unless set. */
  readonly send?: (input: Payment, attempt: AttemptInfo) => Promise<{ readonly receipt: string }>
}

const receiptOf = ({ cents }: Payment): { readonly receipt: string } => ({ receipt: `paid ${cents}` })

/** Pays at the bank, which remembers keys. */
export const toBank = async (input: Payment, { key }: AttemptInfo) => {
  bank.receive(key, input)
  return receiptOf(input)
}

/** Pays into the till, which does not. */
export const toTill = async (input: Payment, { key }: AttemptInfo) => {
  till.land(key, input)
  return receiptOf(input)
}

/** The action that pays. */
export function transferOf({ effect, send = toBank, undo }: Transfer) {
  return action({
    name: 'bank.transfer',
    title: 'Pay a vendor',
    input: payment,
    output: receipt,
    effect,
    ...(undo && { undo }),
    retry: { attemptsMax: 3, delayMsFirst: 1_000, jitter: 0 },
    stillValid: () => true,
    find: (input, { key }) =>
      till.landed(key).length > 0 ? { kind: 'done', output: receiptOf(input) } : { kind: 'not_done' },
    cents: ({ cents }) => cents,
    run: send,
  })
}

/** The action that finds out what to pay. */
export const readInvoice = action({
  name: 'invoice.read',
  input: z.object({ invoice: z.string() }),
  output: payment,
  effect: idempotent({ remembersMs: days(30) }),
  run: ({ invoice }, { key }) => bank.receive(key, { to: 'acme', cents: Number(invoice) }),
})

/** What all flows here have. */
export const analysts = { resume: { roles: ['analyst'] }, version: 1, models: 'none' } as const
/** Who is asked. */
export const forTreasurers = { roles: ['treasurer'], notBy: 'actor', within: days(4) } as const

/** The contract of one flow. */
export function treasury(
  governed: AnyGoverned | readonly AnyGoverned[],
  transfer: AnyAction,
  others: readonly Rule[] = [],
): Contract {
  return contract({
    name: 'treasury',
    version: '1',
    roles: { analyst: 'prepares payments', treasurer: 'releases them', chief: 'steps in' },
    flows: [governed].flat(),
    rules: [
      allow(readInvoice).to('analyst'),
      allow(transfer).to('analyst').when('input.cents <= 1000'),
      allow(transfer).to('analyst').afterApproval(forTreasurers),
      ...others,
    ],
    templates: {
      'payment-released': 'Paid. {receipt}.',
      'resume-denied': 'You may no longer resume this.',
      'resume-deferred': 'Say something, and it goes on.',
    },
  })
}

/** What everybody holds before a run starts. */
export const lawOf =
  (made: Contract, untilMs?: number) =>
  async (governance: GovernedRuntime['governance']): Promise<void> => {
    const { directory } = governance
    await directory.bootstrap({ principal: 'ada', by: 'ada' })
    await governance.activate({ contract: made, by: 'ada' })
    const end = untilMs === undefined ? {} : { untilMs }
    await directory.grant({ principal: 'ann', role: 'analyst', by: 'ada', ...end })
    for (const principal of ['tess', 'tom']) await directory.grant({ principal, role: 'treasurer', by: 'ada' })
    await directory.grant({ principal: 'cleo', role: 'chief', by: 'ada' })
  }

/** Somebody who looks into the till: what is there was done, and nothing else. */
export const lookIntoTheTill: ScriptedStater = {
  stater: 'tom',
  says: ({ key }) => {
    const [landed] = till.landed(key)
    if (landed === undefined) return { outcome: 'not_done', note: 'It is not in the till.' }
    return { outcome: 'done', output: receiptOf(landed as Payment) }
  },
}

/** A flow of one payment. */
export function direct(name: string, transfer: AnyAction, cents: number) {
  return flow({
    ...analysts,
    name,
    async run(ctx) {
      const { receipt } = (await ctx.do(transfer, { to: 'acme', cents })) as { readonly receipt: string }
      await ctx.say('payment-released', { receipt })
      return receipt
    },
  })
}

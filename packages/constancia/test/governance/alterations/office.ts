import { action, allow, type Contract, contract, days, flow, idempotent, once, verify } from 'constancia'
import { z } from 'zod'
import { Rule } from '../../../dist/governance/contract/rule.js'
import type { Amendment, Protocol } from './words.js'

/** What the actions of one case ask; each case has its own. */
export interface Place {
  readonly look: () => Promise<true | string>
  readonly send: (key: string, epoch: number) => Promise<null>
  readonly isDone: (key: string) => boolean
}

/** The destinations of the cases that are under way, by their names. */
export const destinations = new Map<string, Place>()

/** What every run wants to pay. */
export const cents = 9_000

const plain = z.object({ to: z.string(), cents: z.number().int() })
const other = z.object({ to: z.string(), cents: z.number().int(), purpose: z.string().optional() })

function at(to: string): Place {
  const found = destinations.get(to)
  if (found === undefined) throw new Error(`Nobody of the name ${to} is there.`)
  return found
}

const effects = {
  idempotent: idempotent({ remembersMs: days(90) }),
  verify: verify({ settlesMs: 60_000 }),
  once: once(),
} as const

function transferOf(protocol: Protocol, input = plain) {
  return action({
    name: 'bank.transfer',
    input,
    effect: effects[protocol],
    cents: (payment) => payment.cents,
    retry: { attemptsMax: 4, delayMsFirst: 3_600_000, jitter: 0 },
    stillValid: ({ to }) => at(to).look(),
    run: ({ to }, { key, epoch }) => at(to).send(key, epoch),
    ...(protocol === 'verify'
      ? {
          find: ({ to }: { readonly to: string }, { key }: { readonly key: string }) =>
            at(to).isDone(key) ? { kind: 'done' as const, output: null } : { kind: 'not_done' as const },
        }
      : {}),
  })
}

type Transfer = ReturnType<typeof transferOf>

/** How long people have to decide. */
export const withinMs = days(30)

function flowsOf(transfer: Transfer, quorum: number) {
  const policy = { roles: ['treasurer'], quorum, notBy: 'actor', within: withinMs } as const
  const common = { version: 1, resume: { roles: ['clerk'] }, models: 'none', input: z.string() } as const
  const ask = { for: (to: string) => transfer.with({ to, cents }) }
  return {
    policy,
    flows: [
      flow({
        ...common,
        name: 'ask-first',
        async run(ctx, to) {
          const decision = await ctx.approval('treasury', { for: ask.for(to), ...policy })
          return decision.outcome === 'approved' ? ctx.do(decision.action) : decision.outcome
        },
      }),
      flow({ ...common, name: 'just-do', run: (ctx, to) => ctx.do(transfer, { to, cents }) }),
      flow({
        ...common,
        name: 'ask-and-alter',
        async run(ctx, to) {
          const decision = await ctx.approval('treasury', { for: ask.for(to), ...policy })
          if (decision.outcome !== 'approved') return decision.outcome
          return ctx.do({ ...decision.action, input: { to, cents: cents - 1 } })
        },
      }),
      flow({
        ...common,
        name: 'ask-and-do-twice',
        async run(ctx, to) {
          const decision = await ctx.approval('treasury', { for: ask.for(to), ...policy })
          if (decision.outcome !== 'approved') return decision.outcome
          await ctx.do(decision.action)
          return ctx.do(decision.action)
        },
      }),
    ],
  }
}

/** The code of a protocol: its flows and the contract that runs begin with. */
export interface Office {
  readonly flows: ReturnType<typeof flowsOf>['flows']
  readonly contractWith: (amendments: readonly Amendment[]) => Contract
}

const offices = new Map<string, Office>()

/** The office where so many have to approve; made once. */
export function officeOf(protocol: Protocol, quorum: number): Office {
  const name = `${protocol} ${quorum}`
  const known = offices.get(name) ?? madeOffice(protocol, quorum)
  offices.set(name, known)
  return known
}

function madeOffice(protocol: Protocol, quorum: number): Office {
  const transfer = transferOf(protocol)
  const { flows, policy } = flowsOf(transfer, quorum)
  const contracts = new Map<string, Contract>()
  const declared = (amendments: readonly Amendment[]): Contract => {
    const has = (one: Amendment): boolean => amendments.includes(one)
    const subject = has('the schema is another') ? transferOf(protocol, other as never) : transfer
    const asked = {
      ...policy,
      ...(has('others have to approve') ? { roles: ['robot'] } : {}),
      quorum: has('more have to approve') ? quorum + 1 : quorum,
    }
    const limit = has('the condition is stricter') ? 'input.cents < 8999' : 'input.cents <= 9000'
    const rule = allow(subject)
      .to(has('the rule is for others') ? 'robot' : 'analyst')
      .when(limit)
      .afterApproval(asked)
    const more = has('one more rule') ? [allow(subject).to('robot').afterApproval(asked)] : []
    const resume = has('others may resume') ? { roles: ['robot'] } : { roles: ['clerk'] }
    return contract({
      name: 'office',
      version: amendments.length === 0 ? '1' : [...amendments].sort().join('.').replaceAll(' ', '-'),
      roles: { clerk: 'starts runs', analyst: 'prepares', treasurer: 'releases', robot: 'does nothing' },
      flows: flows.map(({ name, version, models }) => ({ name, version, models: models as 'none', resume })),
      rules: has('the action is gone') ? [] : [rule, ...more].map((one) => new Rule(one.action, one.declared)),
      limits: has('less may be spent') ? { cents: 8_998 } : {},
      templates: { 'resume-denied': has('the wording is another') ? 'No longer.' : 'You may no longer resume this.' },
    })
  }
  const contractWith = (amendments: readonly Amendment[]): Contract => {
    const key = [...amendments].sort().join()
    const known = contracts.get(key) ?? declared(amendments)
    contracts.set(key, known)
    return known
  }
  return { flows, contractWith }
}

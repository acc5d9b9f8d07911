import { act, action, flow, type GovernedFlow, hours, idempotent, type PlanScope } from 'constancia'
import { expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'

const effect = idempotent({ remembersMs: hours(24) })
const transfer = action({
  name: 'bank.transfer',
  input: z.object({ to: z.string(), cents: z.number(), note: z.string().default('') }),
  output: z.object({ receipt: z.string() }),
  effect,
  run: ({ to, note }) => ({ receipt: `${to} ${note.length}` }),
})
const notify = action({ name: 'notify', input: z.object({ text: z.string() }), effect, run: () => null })

// What is checked here, the compiler checks; each line that must not compile says so.
it('an action is proposed with what its schema takes, and has what the schema makes of it', () => {
  expectTypeOf(transfer.with).parameter(0).toEqualTypeOf<{ to: string; cents: number; note?: string | undefined }>()
  // @ts-expect-error It needs an amount.
  expect(transfer.with({ to: 'acme' }).action).toBe(transfer)
  const output = z.object({ receipt: z.string() })
  // @ts-expect-error It returns another output than it declares.
  action({ name: 'x', input: z.object({}), output, effect, run: () => ({}) })
  // @ts-expect-error Whoever objects says why.
  action({ name: 'x', input: z.object({}), effect, stillValid: () => false, run: () => null })
})

it('what was approved is done as it is, whichever of several proposals it was', () => {
  const made = flow({
    name: 'either',
    version: 1,
    resume: 'anyone',
    input: z.object({ isLarge: z.boolean() }),
    async run(ctx, { isLarge }) {
      expectTypeOf(await ctx.do(transfer, { to: 'acme', cents: 1 })).toEqualTypeOf<{ receipt: string }>()
      // @ts-expect-error A vendor has a name.
      await ctx.do(transfer, { to: 1, cents: 1 })
      const proposed = isLarge ? transfer.with({ to: 'acme', cents: 1 }) : notify.with({ text: 'small' })
      const decision = await ctx.approval('treasury', { for: proposed, roles: ['treasurer'] })
      // @ts-expect-error Nothing was approved yet, as far as anybody knows.
      expect(decision.action).toBeDefined()
      if (decision.outcome !== 'approved') return undefined
      const plain = await ctx.approval('plain', { roles: ['treasurer'], question: 'Well?' })
      if (plain.outcome === 'approved') expectTypeOf(plain.action).toEqualTypeOf<undefined>()
      return ctx.do(decision.action)
    },
  })
  expectTypeOf(made).toExtend<GovernedFlow<{ isLarge: boolean }, { receipt: string } | null | undefined>>()
})

it('a step of a plan may say what the input of its flow is, and is held to it', () => {
  const read = (scope: PlanScope<{ readonly invoice: string }>): object => ({ text: scope.input.invoice })
  const declared = { name: 'plan', version: 1, resume: 'anyone' as const }
  expect(flow({ ...declared, input: z.object({ invoice: z.string() }), steps: [act('read', notify, read)] }).name).toBe(
    'plan',
  )
  // @ts-expect-error The flow has another input.
  flow({ ...declared, input: z.object({ order: z.number() }), steps: [act('read', notify, read)] })
})

it('the words of governance are those of a governed flow', () => {
  // @ts-expect-error Who may resume it was not said, so it acts in nobody's name.
  flow({ name: 'plain', version: 1, run: async (ctx) => ctx.do(notify, { text: '' }) })
})

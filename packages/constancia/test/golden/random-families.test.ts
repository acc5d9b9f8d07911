/** Runs made up by chance that have children, go on as new runs and are cancelled, tried at every place where a process can end. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Continuation, type Flow, type FlowContext, flow } from '../../dist/index.js'
import { crashTest } from '../../dist/testing/index.js'
import { isCampaign, keepResults } from './campaign.js'
import { failed, pay, payUnless } from './effects.js'

/** What a run does: plain data, interpreted by one flow, which calls itself. */
type Part =
  | { readonly kind: 'step'; readonly failing: readonly number[] }
  | { readonly kind: 'sleep'; readonly ms: number }
  | { readonly kind: 'signal'; readonly name: string; readonly within: number | undefined }
  | { readonly kind: 'call'; readonly plan: Plan }
  | { readonly kind: 'sequence' | 'all' | 'race' | 'parallel'; readonly parts: readonly Part[] }
  /** Begun and never awaited. */
  | { readonly kind: 'aside'; readonly part: Part }
  | { readonly kind: 'swallow'; readonly part: Part }
  | { readonly kind: 'cleaned'; readonly part: Part }

interface Plan {
  readonly parts: readonly Part[]
  /** How often another run takes over, with the same parts. */
  readonly more: number
}

async function perform(ctx: FlowContext, part: Part): Promise<unknown> {
  switch (part.kind) {
    case 'step':
      return ctx.step('pay', payUnless(part.failing, 'step'))
    case 'sleep':
      return ctx.sleep(part.ms)
    case 'signal':
      return part.within === undefined
        ? ctx.signal(part.name)
        : ctx.signal(part.name, undefined, { within: part.within })
    case 'call':
      return ctx.call(planned, part.plan)
    case 'sequence': {
      const results: unknown[] = []
      for (const one of part.parts) results.push(await perform(ctx, one))
      return results
    }
    case 'all':
      return Promise.all(part.parts.map((one) => perform(ctx, one)))
    case 'race':
      return Promise.race(part.parts.map((one) => perform(ctx, one)))
    case 'parallel':
      return ctx.parallel(part.parts.map((one) => (own: FlowContext) => perform(own, one)))
    case 'aside':
      perform(ctx, part.part).catch(() => ctx.step('undo', pay('undone')).catch(() => undefined))
      return 'aside'
    case 'swallow':
      return perform(ctx, part.part).catch(failed)
    case 'cleaned':
      try {
        return await perform(ctx, part.part)
      } finally {
        await ctx.step('clean up', pay('cleaned'))
      }
  }
}

const planned: Flow<Plan, unknown> = flow({
  name: 'planned',
  version: 1,
  retry: { attemptsMax: 2, delayMsFirst: 50 },
  async run(ctx, { parts, more }: Plan): Promise<unknown | Continuation> {
    const results: unknown[] = []
    for (const part of parts) results.push(await perform(ctx, part))
    return more > 0 ? ctx.continueAsNew({ parts, more: more - 1 }) : results
  },
})

const leaf: fc.Arbitrary<Part> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('step' as const), failing: fc.constantFrom([], [], [1], [1, 2]) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('sleep' as const), ms: fc.constantFrom(0, 1_000, 2_592_000_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('signal' as const),
      name: fc.constantFrom('s', 't'),
      within: fc.constantFrom(undefined, 1_000, 2_592_000_000),
    }),
  },
)

const { part, plan } = fc.letrec<{ part: Part; plan: Plan }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 4, arbitrary: leaf },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('call' as const), plan: tie('plan') }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: fc.constantFrom('sequence' as const, 'all' as const, 'race' as const, 'parallel' as const),
        parts: fc.array(tie('part'), { minLength: 1, maxLength: 3 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom('aside' as const, 'swallow' as const, 'cleaned' as const),
        part: tie('part'),
      }),
    },
  ),
  plan: fc.record({ parts: fc.array(tie('part'), { minLength: 1, maxLength: 2 }), more: fc.constantFrom(0, 0, 0, 1) }),
}))

/** One that has a child, in some way. */
const called: fc.Arbitrary<Part> = fc
  .tuple(plan, fc.constantFrom('plain' as const, 'aside' as const, 'swallow' as const, 'cleaned' as const), part)
  .map(([inner, how, other]): Part => {
    const call: Part = { kind: 'call', plan: inner }
    return how === 'plain' ? { kind: 'race', parts: [call, other] } : { kind: how, part: call }
  })

interface Family {
  readonly plan: Plan
  readonly cancel: { readonly afterEvents: number; readonly force: boolean } | null
  readonly signals: readonly { readonly name: string; readonly payload: number; readonly afterEvents: number }[]
}

const family: fc.Arbitrary<Family> = fc
  .record({
    plan: fc.record({
      parts: fc
        .tuple(fc.array(part, { maxLength: 2 }), called, fc.array(part, { maxLength: 1 }))
        .map((three) => three.flat()),
      more: fc.constantFrom(0, 0, 0, 1),
    }),
    cancel: fc.option(
      fc.record({ afterEvents: fc.integer({ min: 1, max: 9 }), force: fc.constantFrom(false, false, false, true) }),
    ),
    signals: fc.array(
      fc.record({
        name: fc.constantFrom('s', 't'),
        payload: fc.integer(),
        afterEvents: fc.integer({ min: 1, max: 6 }),
      }),
      {
        maxLength: 3,
      },
    ),
  })
  .filter(({ plan }) => sizeOf(plan) <= 12)

function sizeOf(plan: Plan): number {
  return (1 + plan.more) * plan.parts.reduce((sum, one) => sum + sizeOfPart(one), 1)
}

function sizeOfPart(one: Part): number {
  if ('plan' in one) return 1 + sizeOf(one.plan)
  if ('parts' in one) return one.parts.reduce((sum, inner) => sum + sizeOfPart(inner), 0)
  return 'part' in one ? 1 + sizeOfPart(one.part) : 1
}

const familyCount = Number(process.env['CONSTANCIA_FAMILIES'] ?? (isCampaign ? 2_000 : 12))
const seed = Number(process.env['CONSTANCIA_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const timeout = isCampaign ? 7_200_000 : 1_800_000

test('R-A5 R-A7 R-B8 T1 T2 families made up by chance, cancelled anywhere, end the same wherever a process ends', {
  timeout,
}, async () => {
  process.stdout.write(`seed ${seed}; CONSTANCIA_SEED=${seed} repeats it\n`)
  const tally = { families: 0, unscripted: 0, trials: 0, ChildEnded: 0, FlowCancelled: 0, FlowContinued: 0 }
  const check = async ({ plan, cancel, signals }: Family): Promise<void> => {
    // Whether an attempt that a cancellation ends had its effect before is nobody's promise, so only facts are compared.
    const options = { flow: planned, input: plan, signals, patienceMs: 5 }
    try {
      const report = await crashTest(cancel === null ? options : { ...options, cancel })
      tally.families += 1
      tally.trials += report.triedCount
      for (const { kind } of [...report.facts.values()].flat())
        if (kind in tally) tally[kind as keyof typeof tally] += 1
    } catch (error) {
      // It waits for a signal that nobody sends, and nobody cancels it.
      if (!String(error).includes('does not script')) throw error
      tally.unscripted += 1
    }
  }
  // How much a family brings is chance: there are as many as it takes.
  const isEnough = (): boolean => tally.families >= familyCount / 2 && tally.trials >= familyCount * 15
  for (let more = 0; more < 20 && !isEnough(); more += 1)
    await fc.assert(fc.asyncProperty(family, check), { seed: seed + more, numRuns: familyCount })
  const counts = Object.entries(tally).map(([what, count]) => `${what} ${count}`)
  process.stdout.write(`${counts.join(', ')}\n`)
  keepResults('random-families', [`Seed ${seed}: ${counts.join(', ')}.`])
  expect(isEnough()).toBe(true)
})

import { type AnyFlow, flow } from 'constancia'

/** A flow whose connection is cut, and what its run needs from outside. */
export interface Plan {
  readonly flow: AnyFlow
  /** Those of its children and successors. */
  readonly flows?: readonly AnyFlow[]
  /** What it is sent, each once it waits for it; `cancel` asks it to end. */
  readonly sent?: readonly string[]
  /** What its run gives, or the code of what it fails with. */
  readonly gives: unknown
  /** Whether the order of its events does not follow from the flow: branches raced. */
  readonly isRacing?: boolean
}

/** What steps tell whoever looks on: that they are executed. The first step of the first flow also waits. */
export interface Hooks {
  count(key: string): void
  first(): Promise<void>
}

const retry = { attemptsMax: 3, delayMsFirst: 1, factor: 1, jitter: 0 }

/** The flow of which every message is cut in CI: it starts, is claimed, executes, waits for a signal and for a time, and ends. */
export function pays({ count, first }: Hooks): Plan {
  return {
    flow: flow({
      name: 'pays',
      version: 1,
      run: async (ctx) => {
        const charged = await ctx.step('charge', async ({ key }) => {
          count(key)
          await first()
          return 7
        })
        const cents = await ctx.signal('paid')
        await ctx.sleep(1)
        return [charged, cents]
      },
    }),
    sent: ['paid'],
    gives: [7, 'paid'],
  }
}

/** Twelve flows with the words that they say. */
export function plans(hooks: Hooks): readonly Plan[] {
  return [pays(hooks), ...working(hooks), ...waiting(hooks), ...failing(hooks)]
}

type Make = (run: AnyFlow['run'], rest?: Partial<AnyFlow>) => AnyFlow

const made =
  (name: string): Make =>
  (run) =>
    flow({ name, version: 1, retry, run })

function stepIn({ count }: Hooks) {
  return (ctx: Parameters<AnyFlow['run']>[0], name: string): Promise<string> =>
    ctx.step(name, ({ key }) => {
      count(key)
      return name
    })
}

function working(hooks: Hooks): Plan[] {
  const step = stepIn(hooks)
  const ships = made('ships')((ctx) => step(ctx, 'ship'))
  const second = made('second')((ctx) => step(ctx, 'last'))
  return [
    {
      flow: made('linear')(async (ctx) => [await step(ctx, 'a'), await step(ctx, 'b'), await step(ctx, 'c')]),
      gives: ['a', 'b', 'c'],
    },
    {
      flow: made('loop')(async (ctx) => {
        const all: string[] = []
        for (let index = 0; index < 5; index += 1) all.push(await step(ctx, `s${index}`))
        return all
      }),
      gives: ['s0', 's1', 's2', 's3', 's4'],
    },
    {
      flow: made('parallel')((ctx) => ctx.parallel([(a) => step(a, 'a'), (b) => step(b, 'b'), (c) => step(c, 'c')])),
      gives: ['a', 'b', 'c'],
      isRacing: true,
    },
    {
      flow: made('map')((ctx) => ctx.map([1, 2, 3], (item, branch) => step(branch, `i${item}`))),
      gives: ['i1', 'i2', 'i3'],
      isRacing: true,
    },
    { flow: made('parent')((ctx) => ctx.call(ships as never, null)), flows: [ships], gives: 'ship' },
    {
      flow: made('successor')(async (ctx) => {
        await step(ctx, 'first')
        return ctx.continueAsNew(null, second)
      }),
      flows: [second],
      gives: 'last',
    },
  ]
}

function waiting(hooks: Hooks): Plan[] {
  const step = stepIn(hooks)
  return [
    {
      flow: made('timers')(async (ctx) => {
        await ctx.sleep(1)
        const one = await step(ctx, 'one')
        await ctx.sleep(1)
        return [one, await step(ctx, 'two')]
      }),
      gives: ['one', 'two'],
    },
    {
      flow: made('signals')(async (ctx) => [
        await ctx.signal('a'),
        await step(ctx, 'between'),
        await ctx.signal('b'),
        await ctx.signal('never', undefined, { within: 1 }),
      ]),
      sent: ['a', 'b'],
      gives: ['a', 'between', 'b', { kind: 'timed_out' }],
    },
  ]
}

function failing({ count }: Hooks): Plan[] {
  return [
    {
      flow: made('retries')((ctx) =>
        ctx.step('unlucky', ({ key, attempt }) => {
          count(`${key}#${attempt}`)
          if (attempt < 3) throw new Error('not yet')
          return attempt
        }),
      ),
      gives: 3,
    },
    {
      flow: made('fails')((ctx) =>
        ctx.step('hopeless', ({ key, attempt }) => {
          count(`${key}#${attempt}`)
          throw new Error('never')
        }),
      ),
      gives: 'flow_failed',
    },
    {
      flow: made('cancelled')(async (ctx) => ctx.signal('never')),
      sent: ['cancel'],
      gives: 'flow_cancelled',
    },
  ]
}

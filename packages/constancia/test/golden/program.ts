/**
 * Programs made up by chance: plain data, interpreted by one flow, and by an interpreter without a journal that says what
 * the outcome has to be wherever that does not depend on who is faster.
 */
import fc from 'fast-check'
import { type AttemptInfo, type Flow, type FlowContext, flow, PermanentError } from '../../dist/index.js'
import { Ledger, type ScriptedSignal } from '../../dist/testing/index.js'

/** One part of a program. */
export type Node =
  /** Fails in its first attempts, then has an effect; `gives` is what it returns. Slow: in a later turn of the event loop. */
  | {
      readonly kind: 'step'
      readonly fails: number
      readonly permanent: boolean
      readonly slow: boolean
      readonly gives: number
    }
  | { readonly kind: 'sleep'; readonly ms: number }
  | { readonly kind: 'signal'; readonly name: string; readonly within: number | undefined }
  | { readonly kind: 'sequence'; readonly parts: readonly Node[] }
  | {
      readonly kind: 'branches'
      readonly how: 'parallel' | 'map'
      readonly concurrency: number
      readonly parts: readonly Node[]
    }
  | { readonly kind: 'together'; readonly how: 'all' | 'allSettled' | 'race' | 'any'; readonly parts: readonly Node[] }
  | { readonly kind: 'loop'; readonly times: number; readonly part: Node }
  | { readonly kind: 'swallow'; readonly part: Node }
  /** Begun and never awaited. */
  | { readonly kind: 'aside'; readonly part: Node }
  /** Which of the two, chance says. */
  | { readonly kind: 'draw'; readonly part: Node; readonly other: Node }
  | { readonly kind: 'now' }
  /** A run of its own. */
  | { readonly kind: 'child'; readonly part: Node }

/** What a program needs from whatever runs it. */
export interface Words {
  step(node: Node & { kind: 'step' }): Promise<unknown>
  sleep(ms: number): Promise<void>
  signal(name: string, within: number | undefined): Promise<unknown>
  branches(node: Node & { kind: 'branches' }, run: (part: Node, words: Words) => Promise<unknown>): Promise<unknown[]>
  draw(): number
  now(): number
  child(part: Node): Promise<unknown>
}

/** Runs a program. */
export async function interpret(node: Node, words: Words): Promise<unknown> {
  switch (node.kind) {
    case 'step':
      return words.step(node)
    case 'sleep':
      return words.sleep(node.ms)
    case 'signal':
      return words.signal(node.name, node.within)
    case 'sequence':
      return inTurn(node.parts, words)
    case 'branches':
      return words.branches(node, interpret)
    case 'together':
      return together(node, words)
    case 'loop':
      return inTurn(
        Array.from({ length: node.times }, () => node.part),
        words,
      )
    case 'swallow':
      return interpret(node.part, words).catch(() => 'swallowed')
    case 'aside':
      interpret(node.part, words).catch(() => undefined)
      return 'aside'
    case 'draw':
      return interpret(words.draw() < 0.5 ? node.part : node.other, words)
    case 'now':
      return words.now()
    case 'child':
      return words.child(node.part)
  }
}

async function inTurn(parts: readonly Node[], words: Words): Promise<unknown[]> {
  const results: unknown[] = []
  for (const part of parts) results.push(await interpret(part, words))
  return results
}

async function together(node: Node & { kind: 'together' }, words: Words): Promise<unknown> {
  const begun = node.parts.map((part) => interpret(part, words))
  switch (node.how) {
    case 'all':
      return Promise.all(begun)
    case 'race':
      return Promise.race(begun)
    case 'any':
      return Promise.any(begun)
    case 'allSettled':
      return (await Promise.allSettled(begun)).map((one) => (one.status === 'fulfilled' ? one.value : 'rejected'))
  }
}

/** Where programs have their effects. */
export const till = new Ledger()

const attemptsMax = 3

async function perform(node: Node & { kind: 'step' }, attempt: AttemptInfo): Promise<number> {
  if (node.slow) await new Promise((resolve) => setImmediate(resolve))
  if (attempt.attempt > node.fails) return till.receive(attempt.key, node.gives)
  throw node.permanent ? new PermanentError('never') : new Error(`attempt ${attempt.attempt}`)
}

function durable(ctx: FlowContext, self: Flow<Node, unknown>): Words {
  return {
    step: (node) => ctx.step(`gives ${node.gives}`, (attempt) => perform(node, attempt)),
    sleep: (ms) => ctx.sleep(ms),
    signal: (name, within) =>
      within === undefined ? ctx.signal<number>(name) : ctx.signal<number>(name, undefined, { within }),
    branches: ({ how, concurrency, parts }, run) =>
      how === 'map'
        ? ctx.map(parts, (part, branch) => run(part, durable(branch, self)), { concurrency })
        : ctx.parallel(parts.map((part) => (branch: FlowContext) => run(part, durable(branch, self)))),
    draw: () => ctx.random(),
    now: () => ctx.now(),
    child: (part) => ctx.call(self, part),
  }
}

/** What a program came to; without a value if it failed. */
export interface Outcome {
  readonly value?: unknown
}

/** The one flow that runs them all, children as well. Tells what each run of it came to that is nobody's child. */
export function programFlow(onOutcome: (outcome: Outcome) => void): Flow<Node, unknown> {
  const self: Flow<Node, unknown> = flow<Node>({
    name: 'program',
    version: 1,
    retry: { attemptsMax, delayMsFirst: 50 },
    async run(ctx, program) {
      const tell = (outcome: Outcome): void => (ctx.runId.includes('~') ? undefined : onOutcome(outcome))
      try {
        const value = await interpret(program, durable(ctx, self))
        tell({ value })
        return value
      } catch (error) {
        tell({})
        throw error
      }
    },
  })
  return self
}

/** The outcome of a program without a journal: promises and nothing else. */
export async function plainOutcome(program: Node, signals: readonly ScriptedSignal[]): Promise<Outcome> {
  const left = new Map<string, unknown[]>()
  for (const { name, payload } of signals) left.set(name, [...(left.get(name) ?? []), payload])
  const words: Words = {
    step: async ({ fails, permanent, gives }) => {
      if (givesUp({ fails, permanent })) throw new Error('given up')
      return gives
    },
    sleep: async () => undefined,
    signal: async (name) => left.get(name)?.shift(),
    branches: ({ parts }, run) => Promise.all(parts.map((part) => run(part, words))),
    draw: () => 0,
    now: () => 0,
    child: (part) => interpret(part, words),
  }
  return interpret(program, words).then(
    (value) => ({ value }),
    () => ({}),
  )
}

/** Whether a program's outcome does not depend on who is faster, on chance or on time. */
export function isSettled(node: Node): boolean {
  switch (node.kind) {
    case 'step':
    case 'sleep':
      return true
    case 'signal':
      return node.within === undefined
    case 'draw':
    case 'now':
      return false
    case 'aside':
      return partsOf(node).every((part) => isSettled(part) && waitsOf(part).length === 0)
    case 'together':
      return (node.how === 'all' || node.how === 'allSettled') && isSettledTogether(node.parts)
    case 'branches':
      return isSettledTogether(node.parts)
    default:
      return partsOf(node).every(isSettled)
  }
}

// Parts at once must not wait for the same signals, nor leave one behind that still waits for some.
function isSettledTogether(parts: readonly Node[]): boolean {
  const names = parts.flatMap((part) => [...new Set(waitsOf(part))])
  if (new Set(names).size < names.length) return false
  return parts.every(isSettled) && (names.length === 0 || !parts.some(mayFail))
}

function mayFail(node: Node): boolean {
  if (node.kind === 'step') return givesUp(node)
  return node.kind !== 'swallow' && node.kind !== 'aside' && partsOf(node).some(mayFail)
}

function givesUp({ fails, permanent }: { readonly fails: number; readonly permanent: boolean }): boolean {
  return fails >= attemptsMax || (permanent && fails > 0)
}

/** The parts of a part. */
export function partsOf(node: Node): readonly Node[] {
  if ('parts' in node) return node.parts
  if (node.kind === 'draw') return [node.part, node.other]
  return 'part' in node ? [node.part] : []
}

/** How many ops a program says at most. */
export function opCount(node: Node): number {
  const own = ownOpCount(node)
  const times = node.kind === 'loop' ? node.times : 1
  return own + times * partsOf(node).reduce((sum, part) => sum + opCount(part), 0)
}

// A child has as many places as two or three ops: it is started, claimed, and its end is told.
function ownOpCount(node: Node): number {
  if (node.kind === 'step') return 1 + Math.min(node.fails, 2)
  if (node.kind === 'child') return 3
  return node.kind === 'sleep' || node.kind === 'signal' ? 1 : 0
}

/** The names of the signals that a program waits for, as often as it may wait. */
export function waitsOf(node: Node): string[] {
  if (node.kind === 'signal') return [node.name]
  const inner = partsOf(node).flatMap(waitsOf)
  return node.kind === 'loop' ? Array.from({ length: node.times }, () => inner).flat() : inner
}

const leaf: fc.Arbitrary<Node> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('step' as const),
      fails: fc.oneof(
        { weight: 3, arbitrary: fc.constant(0) },
        { weight: 2, arbitrary: fc.integer({ min: 1, max: 3 }) },
      ),
      permanent: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
      slow: fc.boolean(),
      gives: fc.integer({ min: 0, max: 999 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('sleep' as const), ms: fc.constantFrom(0, 1, 40, 1_000, 2_592_000_000) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('signal' as const),
      name: fc.constantFrom('s', 't', 'u'),
      within: fc.constantFrom(undefined, undefined, 1, 1_000, 2_592_000_000),
    }),
  },
  { weight: 1, arbitrary: fc.constant<Node>({ kind: 'now' }) },
)

// Signals are sent to the run, not to its children.
const hasNoWaits = (part: Node): boolean => waitsOf(part).length === 0

const some = (part: fc.Arbitrary<Node>): fc.Arbitrary<Node[]> => fc.array(part, { minLength: 1, maxLength: 3 })

const { node } = fc.letrec<{ node: Node }>((tie) => {
  const part = tie('node')
  return {
    node: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 4, arbitrary: leaf },
      { weight: 3, arbitrary: fc.record({ kind: fc.constant('sequence' as const), parts: some(part) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('branches' as const),
          how: fc.constantFrom('parallel' as const, 'map' as const),
          concurrency: fc.integer({ min: 1, max: 3 }),
          parts: some(part),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('together' as const),
          how: fc.constantFrom('all' as const, 'allSettled' as const, 'race' as const, 'any' as const),
          parts: some(part),
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({ kind: fc.constant('loop' as const), times: fc.integer({ min: 0, max: 3 }), part }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('swallow' as const), part }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('aside' as const), part }) },
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('child' as const), part: part.filter(hasNoWaits) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('draw' as const), part, other: part }) },
    ),
  }
})

/** A program, and when which signals are sent: as many as it may wait for. */
export interface Scripted {
  readonly program: Node
  readonly signals: readonly ScriptedSignal[]
}

/** Programs of 2 to 14 ops, each with its signals. */
export const scripted: fc.Arbitrary<Scripted> = node
  .filter((program) => opCount(program) >= 2 && opCount(program) <= 14)
  .chain((program) => {
    const names = waitsOf(program)
    const times = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: names.length, maxLength: names.length })
    return times.map((after) => ({
      program,
      signals: names.map((name, index) => ({ name, payload: index, afterEvents: after[index] ?? 1 })),
    }))
  })

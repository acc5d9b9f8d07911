import type { DeclaredContract, DeclaredLimits } from './contract.js'

/** The limits that count what a journal shows. */
export const countedLimits = ['actions', 'cents', 'runMs'] as const

/** What a run would have used up with one more action. */
export type UsedUp = Readonly<Record<(typeof countedLimits)[number], number>>

/** An intent: which op, and what it costs. */
export interface Intent {
  readonly op: string
  readonly cents?: number
}

/**
 * What a run would have used up with this intent of an action as well. Counted are the intents of different ops, whatever came of them: an op
 * that is tried again counts once.
 */
export function usedWith(intents: readonly Intent[], next: Intent, runMs: number): UsedUp {
  const costs = new Map([...intents, next].map(({ op, cents }) => [op, cents ?? 0]))
  return { actions: costs.size, cents: [...costs.values()].reduce((sum, each) => sum + each, 0), runMs }
}

/** The first limit that is passed, of any of these contracts; undefined if none. Pure. */
export function limitPassed(
  contracts: readonly Pick<DeclaredContract, 'limits'>[],
  used: UsedUp,
): { readonly name: keyof UsedUp; readonly limits: DeclaredLimits } | undefined {
  for (const { limits } of contracts) {
    const name = countedLimits.find((each) => used[each] > (limits[each] ?? Number.POSITIVE_INFINITY))
    if (name !== undefined) return { name, limits }
  }
  return undefined
}

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

/** What a run would have used up with one more action of so many cents. Counted are the intents of different ops, whatever came of them. */
export function usedWith(intents: readonly Intent[], more: { readonly cents: number; readonly runMs: number }): UsedUp {
  const costs = new Map(intents.map((intent) => [intent.op, intent.cents ?? 0]))
  return {
    actions: costs.size + 1,
    cents: [...costs.values()].reduce((sum, each) => sum + each, more.cents),
    runMs: more.runMs,
  }
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

import type { Case } from './case.js'
import { forgedCases } from './forged.js'
import { honestCases } from './honest.js'
import { operatorCases } from './operator.js'
import { unreadableCases } from './unreadable.js'

export type { Case } from './case.js'

/** All cases, in the order of the list of vectors. */
export async function allCases(): Promise<Case[]> {
  return [...(await honestCases()), ...(await unreadableCases()), ...(await forgedCases()), ...(await operatorCases())]
}

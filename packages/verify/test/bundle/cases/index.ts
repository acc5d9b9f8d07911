import type { Case } from './case.js'
import { erasedCases } from './erased.js'
import { forgedCases } from './forged.js'
import { governedCases } from './governed.js'
import { honestCases } from './honest.js'
import { operatorCases } from './operator.js'
import { receiptCases } from './receipts.js'
import { tokenCases } from './tokens.js'
import { unreadableCases } from './unreadable.js'
import { witnessedCases } from './witnessed.js'

export type { Case } from './case.js'

/** All cases, in the order of the list of vectors. */
export async function allCases(): Promise<Case[]> {
  const families = [
    honestCases,
    unreadableCases,
    forgedCases,
    operatorCases,
    governedCases,
    erasedCases,
    receiptCases,
    tokenCases,
    witnessedCases,
  ]
  const cases: Case[] = []
  for (const family of families) cases.push(...(await family()))
  return cases
}

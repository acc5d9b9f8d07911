import type { DeclaredContract } from '@constancia/verify'
import { InvalidContract } from './contract.js'
import type { Problem } from './problem.js'

/**
 * Checks the types of every condition of a contract against the input of its action. Rejects with `invalid_contract`, which lists
 * those that do not fit. The checker is loaded when it is needed: most processes have no contract.
 */
export async function requireTypes(contract: DeclaredContract): Promise<void> {
  if (contract.rules.every(({ when }) => when === null)) return
  const { typeProblemOf } = await import('./condition-types.js')
  const problems = contract.rules.flatMap(({ action, when }, index): Problem[] => {
    const schema = contract.actions.find(({ name }) => name === action)?.input ?? null
    const mistyped = when === null ? undefined : typeProblemOf(when, schema)
    if (mistyped === undefined) return []
    const reason = `The condition ${when} does not fit the input: ${mistyped}`
    return [{ place: `rule ${index + 1} (${action})`, reason }]
  })
  if (problems.length > 0) throw new InvalidContract(contract, problems)
}

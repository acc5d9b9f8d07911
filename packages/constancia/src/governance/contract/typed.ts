import { parseCondition } from '@constancia/verify/condition'
import type { DeclaredContract } from '@constancia/verify/governance'
import { InvalidContract } from './contract.js'
import type { Problem } from './problem.js'

// What is declared never changes, and a process may open many runtimes with one contract.
const fitting = new WeakSet<DeclaredContract>()

/**
 * Checks the types of every condition of a contract against the input of its action. Rejects with `invalid_contract`, which lists
 * those that do not fit.
 */
export async function requireTypes(contract: DeclaredContract): Promise<void> {
  if (fitting.has(contract)) return
  const problems = await typeProblems(contract)
  if (problems.length > 0) throw new InvalidContract(contract, problems)
  fitting.add(contract)
}

/**
 * The conditions of a contract whose types do not fit the input of their action; those that cannot be read say nothing. The checker is
 * loaded when it is needed: most processes have no contract.
 */
export async function typeProblems({ rules, actions }: DeclaredContract): Promise<readonly Problem[]> {
  if (rules.every(({ when }) => when === null)) return []
  const { typeProblemOf } = await import('./condition-types.js')
  return rules.flatMap(({ action, when }, index): Problem[] => {
    if (when === null || parseCondition(when).kind === 'refused') return []
    const schema = actions.find(({ name }) => name === action)?.input ?? null
    const mistyped = typeProblemOf(when, schema)
    if (mistyped === undefined) return []
    const reason = `The condition ${when} does not fit the input: ${mistyped}`
    return [{ place: `rule ${index + 1} (${action})`, reason }]
  })
}

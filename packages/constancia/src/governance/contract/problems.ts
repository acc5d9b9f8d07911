import type { DeclaredContract } from '@constancia/verify/governance'
import { flowProblems } from './flow-problems.js'
import { type Problem, quorumProblems, roleProblems } from './problem.js'
import { ruleProblems } from './rule-problems.js'
import { templateProblems } from './template-problems.js'

const namePattern = /^[A-Za-z0-9._-]{1,100}$/
const nameRule = 'A name is 1 to 100 of the characters A-Z a-z 0-9 . _ -'

/** All that makes no sense in a contract, in the order in which a reader meets it. */
export function problemsOf(contract: DeclaredContract): readonly Problem[] {
  return [
    ...headProblems(contract),
    ...actionProblems(contract),
    ...ruleProblems(contract),
    ...flowProblems(contract),
    ...limitProblems(contract),
    ...templateProblems(contract),
  ]
}

function headProblems({ name, version, roles, activation }: DeclaredContract): Problem[] {
  const problems: Problem[] = []
  if (!namePattern.test(name)) problems.push({ place: 'name', reason: `${nameRule}, not ${JSON.stringify(name)}` })
  if (typeof version !== 'string' || !namePattern.test(version)) {
    problems.push({ place: 'version', reason: `A version is a text like a name, not ${JSON.stringify(version)}` })
  }
  for (const role of Object.keys(roles)) {
    if (!namePattern.test(role)) problems.push({ place: `role ${JSON.stringify(role)}`, reason: nameRule })
  }
  const administrators = { ...roles, administrator: '' }
  problems.push(
    ...roleProblems('activation', activation.roles, administrators),
    ...quorumProblems('activation', activation.quorum),
  )
  return problems
}

function actionProblems({ actions, rules }: DeclaredContract): Problem[] {
  const problems: Problem[] = []
  const seen = new Set<string>()
  for (const { name, undo } of actions) {
    const place = `action ${name}`
    if (!namePattern.test(name)) problems.push({ place, reason: nameRule })
    if (seen.has(name)) {
      problems.push({ place, reason: 'Two actions have this name, and a rule could not tell them apart; rename one' })
    }
    seen.add(name)
    if (!rules.some(({ action }) => action === name)) {
      const reason = `It undoes another action, but no rule allows it to anybody; add allow(…).to(…) for it`
      problems.push({
        place,
        reason: undo === null ? reason : 'No rule allows it to anybody; add allow(…).to(…) for it',
      })
    }
  }
  return problems
}

function limitProblems({ limits }: DeclaredContract): Problem[] {
  const odd = Object.entries(limits).filter(([, value]) => !(Number.isSafeInteger(value) && (value as number) >= 1))
  return odd.map(([name, value]) => ({
    place: `limit ${name}`,
    reason: `A limit is a whole number from 1, not ${String(value)}; leave it out for none`,
  }))
}

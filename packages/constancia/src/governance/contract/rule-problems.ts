import { type ConditionValue, evaluateCondition, parseCondition } from '@constancia/verify/condition'
import type { DeclaredApproval, DeclaredContract, DeclaredRule } from '@constancia/verify/governance'
import { type Problem, quorumProblems, roleProblems } from './problem.js'

/** What makes no sense in the rules. */
export function ruleProblems(contract: DeclaredContract): Problem[] {
  return contract.rules.flatMap((rule, index) => {
    const place = `rule ${index + 1} (${rule.action})`
    return [
      ...roleProblems(place, rule.roles, contract.roles),
      ...conditionProblems(place, rule),
      ...(rule.approval === null ? [] : approvalProblems(place, rule.approval, contract)),
      ...coveredProblems(place, contract.rules, index),
    ]
  })
}

/** What makes no sense in what an approval asks for. */
export function approvalProblems(place: string, approval: DeclaredApproval, { roles }: DeclaredContract): Problem[] {
  const { withinMs, escalation } = approval
  const problems = [
    ...roleProblems(`${place}, approval`, approval.roles, roles),
    ...quorumProblems(place, approval.quorum),
  ]
  if (withinMs !== null && !isSpan(withinMs)) {
    problems.push({ place, reason: 'within is a number of milliseconds above 0, for instance days(4)' })
  }
  if (escalation === null) return problems
  problems.push(...roleProblems(`${place}, escalation`, escalation.roles, roles))
  if (!isSpan(escalation.afterMs)) problems.push({ place, reason: 'after is a number of milliseconds above 0' })
  if (withinMs !== null && escalation.afterMs >= withinMs) {
    const reason = 'It is escalated only after its deadline, so never; let it be escalated earlier, or wait longer'
    problems.push({ place, reason })
  }
  return problems
}

function isSpan(ms: number): boolean {
  return Number.isFinite(ms) && ms > 0
}

function conditionProblems(place: string, { when }: DeclaredRule): Problem[] {
  if (when === null) return []
  const parsed = parseCondition(when)
  if (parsed.kind === 'refused') {
    return [
      { place, reason: `The condition ${when} cannot be read at character ${parsed.at + 1}: ${bare(parsed.reason)}` },
    ]
  }
  // Without any input it can only be computed where it does not depend on one.
  const fixed = evaluateCondition(parsed.condition, new Map<string, ConditionValue>())
  if (fixed.kind === 'error') return []
  const what = fixed.value === true ? 'always holds; leave it out' : 'never holds, so the rule allows nothing'
  return [{ place, reason: `The condition ${when} ${what}` }]
}

// The first rule that allows something without an approval decides: whoever it admits never comes to the later one.
function coveredProblems(place: string, rules: readonly DeclaredRule[], index: number): Problem[] {
  const rule = rules[index] as DeclaredRule
  const cover = rules.findIndex(
    (other, at) =>
      at !== index &&
      other.action === rule.action &&
      other.approval === null &&
      (other.when === null || (other.when === rule.when && at < index)) &&
      (at < index || rule.approval !== null || rule.when !== null) &&
      rule.roles.every((role) => other.roles.includes(role)),
  )
  if (cover === -1 || rule.roles.length === 0) return []
  return [
    {
      place,
      reason: `It never decides, because rule ${cover + 1} allows the same to the same roles without more; drop one of the two`,
    },
  ]
}

function bare(sentence: string): string {
  return sentence.replace(/\.$/, '')
}

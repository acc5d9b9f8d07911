import type { DeclaredContract, DeclaredFlow } from '@constancia/verify/governance'
import { planProblems } from './plan-problems.js'
import { type Problem, roleProblems } from './problem.js'

const models = ['none', 'after-approval', 'deferred']

/** What makes no sense in what a contract says of its flows. */
export function flowProblems(contract: DeclaredContract): Problem[] {
  const { flows, roles } = contract
  const seen = new Set<string>()
  return flows.flatMap((flow) => {
    const place = `flow ${flow.name}@${flow.version}`
    const isTwice = seen.has(place)
    seen.add(place)
    return [
      ...(isTwice ? [{ place, reason: 'It is there twice; leave one out' }] : []),
      ...resumeProblems(place, flow, roles),
      ...(flow.steps === null ? [] : planProblems(place, flow.steps, contract)),
      ...(models.includes(flow.models) ? [] : [{ place, reason: `models is one of ${models.join(', ')}` }]),
    ]
  })
}

function resumeProblems(place: string, { resume }: DeclaredFlow, roles: Readonly<Record<string, string>>): Problem[] {
  if (resume === 'anyone') return []
  if (typeof resume === 'object' && resume !== null && Array.isArray(resume.roles)) {
    return roleProblems(`${place}, resume`, resume.roles, roles)
  }
  const reason =
    'It can pause and does not say who may resume it; add resume: { roles: [...] } to the flow, or, if it may go on whoever ' +
    "its actor has become meanwhile, resume: 'anyone'"
  return [{ place, reason }]
}

import type { DeclaredContract } from '@constancia/verify/governance'
import { choice, type Words } from './words.js'

/** For each role: its name, what its holders do, and all that a contract lets them do. */
export function roleRows(contract: DeclaredContract): Words[][] {
  return Object.entries(contract.roles).map(([name, about]) => [[{ name }], [about], dutiesOf(name, contract)])
}

function dutiesOf(role: string, { rules, flows, activation }: DeclaredContract): Words {
  const has = (roles: readonly string[] | undefined): boolean => roles?.includes(role) === true
  const free = rules.filter(({ roles, approval }) => approval === null && has(roles))
  const asking = rules.filter(({ roles, approval }) => approval !== null && has(roles))
  const approves = rules.filter(({ approval }) => has(approval?.roles) || has(approval?.escalation?.roles))
  const resumes = flows.filter(({ resume }) => resume !== 'anyone' && has(resume.roles))
  const duties = [
    duty(
      'may have done ',
      free.map(({ action }) => action),
    ),
    duty(
      free.length === 0 ? 'may have done after an approval ' : 'after an approval ',
      asking.map(({ action }) => action),
    ),
    duty(
      'approves ',
      approves.map(({ action }) => action),
    ),
    duty(
      'resumes ',
      resumes.map(({ name, version }) => `${name}@${version}`),
    ),
    has(activation.roles) ? ['changes this contract'] : [],
  ].filter(({ length }) => length > 0)
  if (duties.length === 0) return ['nothing']
  return duties.flatMap((words, index): Words => (index === 0 ? words : ['; ', ...words]))
}

function duty(verb: string, names: readonly string[]): Words {
  if (names.length === 0) return []
  return [verb, ...choice([...new Set(names)], 'and')]
}

import type { DeclaredContract, DeclaredTemplate } from '@constancia/verify/governance'
import type { Problem } from './problem.js'

// What the runtime itself says, and the values that it has for it.
const ownTemplates: Readonly<Record<string, readonly string[]>> = {
  'resume-denied': ['flow', 'run', 'reason'],
  'resume-deferred': ['flow', 'run', 'decision'],
  'approval-requested': ['flow', 'run', 'action', 'roles', 'deadline'],
  'approval-resolved': ['flow', 'run', 'action', 'outcome'],
}

const language = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/

/** What makes no sense in the templates. */
export function templateProblems({ templates }: DeclaredContract): Problem[] {
  return templates.flatMap((template) => {
    const place = `template ${template.name}`
    return [...textProblems(place, template), ...valueProblems(place, template)]
  })
}

function textProblems(place: string, { texts }: DeclaredTemplate): Problem[] {
  if (Object.keys(texts).length === 0) return [{ place, reason: 'It has no text; give one a language' }]
  return Object.entries(texts).flatMap(([tag, text]) => {
    const where = `${place}, ${tag}`
    if (!language.test(tag)) return [{ place: where, reason: 'A language is a tag such as en, es or pt-BR' }]
    const rest = text.replaceAll(/\{[A-Za-z_][A-Za-z0-9_]*\}/g, '')
    return /[{}]/.test(rest) ? [{ place: where, reason: 'A brace stands for no value; values are written {name}' }] : []
  })
}

// Every language has to say the same, and what the runtime says has the values that it knows.
function valueProblems(place: string, { name, values, texts }: DeclaredTemplate): Problem[] {
  const known = Object.hasOwn(ownTemplates, name) ? ownTemplates[name] : undefined
  if (known !== undefined) {
    return values
      .filter((value) => !known.includes(value))
      .map((value) => ({ place, reason: `There is no value ${value}; this one has ${known.join(', ')}` }))
  }
  return Object.entries(texts).flatMap(([tag, text]) =>
    values
      .filter((value) => !text.includes(`{${value}}`))
      .map((value) => ({ place: `${place}, ${tag}`, reason: `The value ${value} of the other languages is missing` })),
  )
}

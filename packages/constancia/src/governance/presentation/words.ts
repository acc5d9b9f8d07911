import type { DeclaredAction, DeclaredApproval, DeclaredFlow, DeclaredRule, Json } from '@constancia/verify/governance'
import { spanInWords } from './spans.js'

/** A piece of a sentence: plain words, or a name as it is written in the contract. */
export type Words = readonly (string | { readonly name: string })[]

/** Words without any formatting. */
export function plainText(words: Words): string {
  return words.map((word) => (typeof word === 'string' ? word : word.name)).join('')
}

/** A rule as a sentence for people. */
export function ruleInWords({ roles, when, approval }: DeclaredRule): Words {
  const who: Words = ['Whoever is ', ...choice(roles), ' may have it done']
  const where: Words = when === null ? [] : [' where ', { name: when }]
  if (approval === null) return [...who, ...where, ', without asking anybody.']
  return [...who, ...where, ' once ', ...approvalInWords(approval), '.']
}

/** What an approval asks for, as the rest of a sentence. */
export function approvalInWords(approval: DeclaredApproval): Words {
  const { roles, quorum, notBy, withinMs, escalation, amendable, reasonRequired } = approval
  const people = quorum === 1 ? 'one person who is ' : `${quorum} different people who are `
  const words: (string | { readonly name: string })[] = [people, ...choice(roles)]
  if (notBy === 'actor')
    words.push(quorum === 1 ? ', and not the one who asks,' : ', and not the one who asks among them,')
  words.push(quorum === 1 ? ' has approved exactly that' : ' have approved exactly that')
  if (amendable) words.push('; they may change it')
  if (reasonRequired) words.push('; they say why')
  if (withinMs !== null) words.push(`; it waits ${spanInWords(withinMs)} at most`)
  if (escalation !== null)
    words.push(`; after ${spanInWords(escalation.afterMs)} `, ...choice(escalation.roles), ' may decide as well')
  return words
}

/** What can be promised of an action's effect. */
export function effectInWords({ effect }: DeclaredAction): string {
  switch (effect.protocol) {
    case 'transactional':
      return 'Happens exactly once: it is written together with the record of it.'
    case 'idempotent':
      return (
        `Accepted once: its destination knows a repetition by its key for ${spanInWords(effect.remembersMs)}. ` +
        'Later it is not tried again unless a person says so.'
      )
    case 'verify':
      return (
        `At most once: before it is tried again its destination is asked, ${spanInWords(effect.settlesMs)} after the last try ` +
        'at the earliest.'
      )
    case 'once':
      return 'Never repeated by itself: where a crash leaves unknown whether it happened, a person has to say so.'
  }
}

/** Who may go on with a run of a flow. */
export function resumeInWords({ resume }: DeclaredFlow): Words {
  if (resume === 'anyone') return ['its actor, whatever they have become meanwhile']
  return ['its actor, while still ', ...choice(resume.roles)]
}

/** What may become of the rest of a run after an approval. */
export function modelsInWords({ models }: DeclaredFlow): string {
  if (models === 'none') return 'goes on by itself; no model is called'
  if (models === 'after-approval')
    return 'goes on by itself; a model may be called, and what it proposes passes the rules again'
  return "waits for the user's next message"
}

/** The fields of an action's input: name, type, and whether it may be missing. */
export function fieldsOf(
  schema: Json,
): readonly { readonly name: string; readonly type: string; readonly about: string }[] {
  const { properties = {}, required = [] } = asObject(schema)
  return Object.entries(asObject(properties)).map(([name, field]) => {
    const isRequired = Array.isArray(required) && required.includes(name)
    return {
      name,
      type: typeInWords(field),
      about: [isRequired ? '' : 'may be missing', boundsInWords(field)].filter(Boolean).join('; '),
    }
  })
}

/** `analyst, treasurer or auditor`. */
export function choice(names: readonly string[], last = 'or'): Words {
  return names.flatMap((name, index) =>
    index === 0 ? [{ name }] : [index === names.length - 1 ? ` ${last} ` : ', ', { name }],
  )
}

function typeInWords(schema: Json): string {
  const { type, enum: values, items, anyOf } = asObject(schema)
  if (Array.isArray(values)) return `one of ${values.map((value) => JSON.stringify(value)).join(', ')}`
  if (Array.isArray(anyOf)) return anyOf.map(typeInWords).join(' or ')
  if (type === 'array') return `list of ${typeInWords(items ?? null)}`
  const known: Readonly<Record<string, string>> = {
    string: 'text',
    integer: 'whole number',
    number: 'number',
    boolean: 'yes or no',
  }
  return typeof type === 'string' ? (known[type] ?? type) : 'anything'
}

function boundsInWords(schema: Json): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, maxLength } = asObject(schema)
  const bounds: string[] = []
  if (typeof minimum === 'number' && minimum > -Number.MAX_SAFE_INTEGER)
    bounds.push(`from ${minimum.toLocaleString('en')}`)
  if (typeof exclusiveMinimum === 'number') bounds.push(`above ${exclusiveMinimum.toLocaleString('en')}`)
  if (typeof maximum === 'number' && maximum < Number.MAX_SAFE_INTEGER)
    bounds.push(`up to ${maximum.toLocaleString('en')}`)
  if (typeof exclusiveMaximum === 'number') bounds.push(`below ${exclusiveMaximum.toLocaleString('en')}`)
  if (typeof maxLength === 'number') bounds.push(`at most ${maxLength.toLocaleString('en')} characters`)
  return bounds.join(', ')
}

function asObject(schema: Json): { readonly [name: string]: Json } {
  return typeof schema === 'object' && schema !== null && !Array.isArray(schema)
    ? (schema as { readonly [name: string]: Json })
    : {}
}

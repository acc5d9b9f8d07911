import type { Json } from '@constancia/verify/governance'
import { Environment } from '@marcbachmann/cel-js'

/** What the type checker takes as a type: a name, or the fields of an object. */
type TypeOf = string | { readonly [field: string]: TypeOf }

/**
 * What is wrong with the types of a condition over an action's input, in words; undefined if nothing is. The checker is a CEL
 * library's; what a condition comes to is computed elsewhere, by the evaluator that auditors have too (decision 12).
 */
export function typeProblemOf(condition: string, input: Json): string | undefined {
  const environment = new Environment({ unlistedVariablesAreDyn: false }).registerVariable('actor', {
    schema: { id: 'string', roles: 'list<string>' },
  } as never)
  const type = typeOf(input)
  if (typeof type === 'string') environment.registerVariable('input', type)
  else environment.registerVariable({ name: 'input', schema: type } as never)
  const checked = environment.check(condition)
  if (!checked.valid) return firstLine(checked.error?.message ?? 'its types do not fit')
  if (checked.type === 'bool' || checked.type === 'dyn') return undefined
  return `it is a ${checked.type}, and only a bool can hold or not`
}

function firstLine(message: string): string {
  return (message.split('\n')[0] as string).replace(/\.$/, '')
}

/** The type that values of a JSON Schema have in a condition; `dyn` where the schema leaves it open. */
function typeOf(schema: Json): TypeOf {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'dyn'
  const { type, properties, items } = schema as { readonly [name: string]: Json }
  if (type === 'string') return 'string'
  if (type === 'integer') return 'int'
  if (type === 'number') return 'double'
  if (type === 'boolean') return 'bool'
  if (type === 'array') return listOf(typeOf(items ?? null))
  if (type !== 'object') return 'dyn'
  if (typeof properties !== 'object' || properties === null) return 'map'
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, typeOf(field as Json)]))
}

function listOf(item: TypeOf): string {
  return typeof item === 'string' && item !== 'map' ? `list<${item}>` : 'list'
}

import { engineError } from './errors.js'

/**
 * What Constancia asks of a schema: the Standard Schema interface (standardschema.dev), which Zod, Valibot, ArkType and
 * others implement. Checks must be synchronous.
 */
export interface Schema<Output> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => SchemaResult<Output> | Promise<SchemaResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

/** What a schema answers: a value, or the issues it found. */
export type SchemaResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly SchemaIssue[] }

/** One thing that a schema objects to. */
export interface SchemaIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/** Checks a value from outside. Throws `invalid_value`, which lists what the schema objects to. */
export function parseWith<Output>(schema: Schema<Output> | undefined, value: unknown, what: string): Output {
  if (schema === undefined) return value as Output
  const result = schema['~standard'].validate(value)
  if (result instanceof Promise) {
    result.catch(() => undefined)
    throw engineError(
      'invalid_value',
      `The schema of ${what} is asynchronous, which a replay cannot wait for. Use one that is not.`,
    )
  }
  if (result.issues === undefined) return result.value
  const issues = result.issues.slice(0, 10).map(describeIssue).join('; ')
  throw engineError(
    'invalid_value',
    `${what} does not fit its schema: ${issues}. Nothing was done with it; send one that fits.`,
  )
}

function describeIssue(issue: SchemaIssue): string {
  const path = (issue.path ?? []).map((part) => String(typeof part === 'object' ? part.key : part)).join('.')
  return path === '' ? issue.message : `${path}: ${issue.message}`
}

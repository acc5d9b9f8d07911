/** What is wrong with a value: it is not of its form, or says something under a name that whoever reads does not know. */
export interface Misfit {
  readonly kind: 'misfit' | 'unknown_name'
  readonly why: string
}

/** Says what is wrong with a value; undefined if it is of this form. */
export type Form = (value: unknown) => Misfit | undefined

/** Any JSON. */
export const anything: Form = () => undefined

/** A form that is a test, and how it is called in a message. */
export function formed(what: string, test: (value: unknown) => boolean): Form {
  return (value) => (test(value) ? undefined : { kind: 'misfit', why: `it is not ${what}` })
}

/** A text. */
export const text = formed('a text', (value) => typeof value === 'string')
/** A text of this pattern. */
export function matching(what: string, pattern: RegExp): Form {
  return formed(what, (value) => typeof value === 'string' && pattern.test(value))
}
/** A finite number. */
export const number = formed('a number', (value) => typeof value === 'number')
/** A whole number that everybody reads as the same. */
export const whole = formed('a whole number', (value) => Number.isSafeInteger(value))
/** A whole number from 1. */
export const count = formed('a whole number from 1', (value) => Number.isSafeInteger(value) && (value as number) >= 1)
/** A boolean. */
export const flag = formed('true or false', (value) => typeof value === 'boolean')
/** The hash SHA-256 in lower-case hexadecimal. */
export const hash = matching('a hash', /^[0-9a-f]{64}$/)
/** An id of a principal, a person, a source or a delivery. */
export const id = matching('an id', /^[A-Za-z0-9._:~-]{1,200}$/)
/** A name of a role, an action, a flow or a template. */
export const name = matching('a name', /^[A-Za-z0-9._-]{1,100}$/)
/** The name of a stream from which texts can be erased. */
export const streamName = matching('the name of a stream', /^(governance|refusals|run\/[A-Za-z0-9._:~-]{1,200})$/)
/** The place of a word of a flow. */
export const place = matching('the place of an op', /^[0-9]{1,9}(\.[0-9]{1,9}){0,60}$/)

/** One of these texts or other constants. */
export function oneOf(...values: readonly (string | boolean | null)[]): Form {
  return formed(`one of ${values.map(String).join(', ')}`, (value) => (values as readonly unknown[]).includes(value))
}

/** Null, or of this form. */
export function nullOr(form: Form): Form {
  return (value) => (value === null ? undefined : form(value))
}

/** A list of such. */
export function listOf(form: Form): Form {
  return (value) => {
    if (!Array.isArray(value)) return { kind: 'misfit', why: 'it is not a list' }
    for (const [index, item] of value.entries()) {
      const misfit = form(item)
      if (misfit !== undefined) return within(String(index), misfit)
    }
    return undefined
  }
}

/** An object whose names fit one form and whose values fit another. */
export function mapOf(nameForm: Form, form: Form): Form {
  return (value) => {
    if (!isObject(value)) return { kind: 'misfit', why: 'it is not an object' }
    for (const [one, item] of Object.entries(value)) {
      const misfit = nameForm(one) ?? form(item)
      if (misfit !== undefined) return within(one, misfit)
    }
    return undefined
  }
}

/** What an object has to have, what it may have, and whether other names are of no concern. */
export interface Shape {
  readonly has: Readonly<Record<string, Form>>
  readonly may?: Readonly<Record<string, Form>>
  readonly isOpen?: boolean
}

/** An object of this shape. */
export function object({ has, may = {}, isOpen = false }: Shape): Form {
  return (value) => {
    if (!isObject(value)) return { kind: 'misfit', why: 'it is not an object' }
    let unknown: Misfit | undefined
    for (const [one, item] of Object.entries(value)) {
      const form = Object.hasOwn(has, one) ? has[one] : Object.hasOwn(may, one) ? may[one] : undefined
      if (form === undefined) {
        if (!isOpen)
          unknown ??= { kind: 'unknown_name', why: `it says ${JSON.stringify(one)}, which is not known here` }
        continue
      }
      const misfit = form(item)
      if (misfit?.kind === 'misfit') return within(one, misfit)
      if (misfit !== undefined) unknown ??= within(one, misfit)
    }
    const missing = Object.keys(has).find((one) => !Object.hasOwn(value, one))
    return missing === undefined ? unknown : { kind: 'misfit', why: `it has no ${missing}` }
  }
}

/** An object with exactly these names, whose values are of these forms: whatever else it says is no value of this form. */
export function exactly(what: string, has: Shape['has']): Form {
  const form = object({ has })
  return formed(what, (value) => form(value) === undefined)
}

/** The first of these forms that a discriminating name admits. */
export function choice(by: string, forms: Readonly<Record<string, Form>>): Form {
  return (value) => {
    const named = isObject(value) ? value[by] : undefined
    if (typeof named !== 'string' || !Object.hasOwn(forms, named)) {
      return { kind: 'misfit', why: `its ${by} is not one of ${Object.keys(forms).join(', ')}` }
    }
    return (forms[named] as Form)(value)
  }
}

function within(place: string, { kind, why }: Misfit): Misfit {
  return { kind, why: `${place}: ${why}` }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

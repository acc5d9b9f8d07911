/**
 * How values are written: as JSON, and in one tagged form for what JSON lacks. An object that has the key "$" is such a
 * form; every other object, array, text, number, true, false and null is what it is in JSON.
 *
 *   undefined                   {"$":"undefined"}
 *   NaN, ±Infinity, -0          {"$":"number","value":"NaN"}            also "Infinity", "-Infinity", "-0"
 *   bigint                      {"$":"bigint","value":"-12"}            decimal, no leading zero
 *   Date                        {"$":"date","value":1767225600000}      UTC milliseconds; null for an invalid date
 *   Map                         {"$":"map","entries":[[key,value],…]}   in insertion order
 *   Set                         {"$":"set","items":[…]}                 in insertion order
 *   bytes                       {"$":"bytes","type":"Buffer","base64":"AAE="}  also "Uint8Array", "ArrayBuffer"
 *   array with holes            {"$":"array","length":3,"items":[[0,"a"],[2,"c"]]}   ascending; at least one hole
 *   object without prototype    {"$":"dict","fields":{…}}
 *   object that has a key "$"   {"$":"object","fields":{"$":…,…}}
 *   error                       {"$":"error","type":"TypeError","name":"…","message":"…","fields":{…},"cause":…,
 *                                "errors":[…],"permanent":true}
 *
 * The keys of `fields` are data, also "$" and "__proto__"; the values in it are values again. Of an error, `type` is the
 * class that it is read back as (one of {@link errorTypes}), `name` stands only where it differs from `type`, `fields`,
 * `cause`, `errors` (of an AggregateError) and `permanent` only where there is one. Nothing else may stand in a tagged
 * form; whatever does not fit is unreadable and never guessed at.
 *
 * Not kept: stacks (facts are equal between two histories of a run), whether something is frozen, symbols that are not
 * enumerable, and sharing: what is referred to twice is written twice and comes back as two. U+0000 and unpaired
 * surrogates are written as JSON escapes, so a text is always valid UTF-8 without U+0000.
 */

/** The names of the tagged forms. */
export const tags = [
  'undefined',
  'number',
  'bigint',
  'date',
  'map',
  'set',
  'bytes',
  'array',
  'dict',
  'object',
  'error',
] as const

/** The name of a tagged form. */
export type Tag = (typeof tags)[number]

/** The classes of errors that come back as what they were; every other error comes back as an `Error` with its name. */
export const errorTypes = [
  'Error',
  'TypeError',
  'RangeError',
  'SyntaxError',
  'ReferenceError',
  'EvalError',
  'URIError',
  'AggregateError',
  'PermanentError',
  'ConstanciaError',
] as const

/** The name of a class of errors that comes back as what it was. */
export type ErrorType = (typeof errorTypes)[number]

/** What an error says in its own places; these are never among its `fields`. */
export const errorPlaces: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause'])

/** Levels of nesting in a value, whatever the settings say: more would not be safe on the stack. */
export const depthCeiling = 1_000

/** Levels of brackets in a text: a map takes three for one level of value. */
export const bracketDepthMax = 3 * depthCeiling + 8

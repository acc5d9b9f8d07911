import { parseWith, type Schema } from '../engine/index.js'
import { decodeValue } from '../journal/index.js'
import type { Contract } from './contract/contract.js'

/** Says what is wrong with a text that people gave for an action; undefined if it fits the action's schema. */
export type Check<T> = (action: string, text: T) => string | undefined

/** How amended inputs are checked: by the code at hand, and whoever lacks an action cannot tell what fits it. */
export function amendmentCheck(contract: Contract | undefined): Check<string> {
  return (name, text) => unfit(contract?.actions.get(name)?.input, text, name)
}

/** How stated outputs are checked: by the code at hand. */
export function outputCheck(contract: Contract | undefined): Check<string | undefined> {
  return (name, text) => {
    const output = contract?.actions.get(name)?.output
    if (text !== undefined) return output === undefined ? undefined : unfit(output, text, name)
    return output === undefined ? undefined : `Action ${name} returns something; say what it returned.`
  }
}

function unfit(schema: Schema<unknown> | undefined, text: string, action: string): string | undefined {
  if (schema === undefined) return `This process does not have action ${action}.`
  try {
    parseWith(schema, decodeValue(text), `What was given for action ${JSON.stringify(action)}`)
    return undefined
  } catch (error) {
    return String(Object(error).message)
  }
}

import { randomBytes } from 'node:crypto'
import { type OpenedStore, openStore, parseWith, stderrLogger } from '../engine/index.js'
import { ConstanciaError, decodeValue, defaultLimits, encodeValue, type Limits } from '../journal/index.js'
import { type Store, systemClock } from '../store/index.js'
import type { Config } from './config.js'
import type { AnyAction, DescribedSchema } from './contract/action.js'
import { Governance } from './governance.js'
import { LawBook } from './law-book.js'

/** Governance on a store of its own. */
export interface OpenedGovernance {
  readonly governance: Governance
  readonly store: Store
  /** Closes the store. */
  close(): Promise<void>
}

/**
 * Opens a store to govern it: to change roles, put contracts in force, and take what people decide. No flow runs here. Amended
 * inputs and stated outputs are checked by the actions of the contract at hand. Rejects with faults of the store.
 */
export async function openGovernance(config: Config): Promise<OpenedGovernance> {
  const limits = { ...defaultLimits, ...config.limits }
  const parts = {
    clock: systemClock,
    randomBytes: (count: number) => randomBytes(count),
    limits,
    log: config.log ?? stderrLogger,
  }
  const { store }: OpenedStore = await openStore(config, parts)
  const find = (name: string): AnyAction | undefined => config.contract?.actions.get(name)
  const governance = new Governance({
    store,
    book: new LawBook(store),
    clock: systemClock,
    limits,
    newId: () => randomBytes(12).toString('hex'),
    checkAmended: (name, text) => objectionTo(text, { action: find(name), name, field: 'input', limits }),
    checkOutput: (name, text) => {
      const action = find(name)
      if (action !== undefined && action.output === undefined) return undefined
      return objectionTo(text, { action, name, field: 'output', limits })
    },
  })
  return { governance, store, close: () => store.close() }
}

interface Checked {
  readonly action: AnyAction | undefined
  readonly name: string
  readonly field: 'input' | 'output'
  readonly limits: Limits
}

// What executes is what the schema makes of it: only a text that stays as it is can be approved to the byte.
function objectionTo(text: string | undefined, { action, name, field, limits }: Checked): string | undefined {
  const what = `${field} of action ${JSON.stringify(name)}`
  if (action === undefined)
    return `The contract at hand has no action ${name}, so nobody knows whether its ${field} fits.`
  try {
    const value = text === undefined ? undefined : decodeValue(text)
    const schema = action[field] as DescribedSchema<unknown> | undefined
    const parsed = encodeValue(parseWith(schema, value, what), { limits, what })
    return text === undefined || parsed === text ? undefined : `The schema of the ${field} makes ${parsed} of it.`
  } catch (error) {
    if (error instanceof ConstanciaError) return error.message
    throw error
  }
}

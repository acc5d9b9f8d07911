import type { KeyLedger, LoggedKey, LogKey } from '../evidence/log/index.js'
import type { Draft } from '../journal/index.js'
import { type ChangeParts, changeLaw, principalId } from './changes.js'
import { invalid, objectionTo } from './directory/permission.js'
import type { GovernedChange } from './refusals.js'

/** A key that is to sign as well, and one that vouches for it. */
export interface KeyAddition {
  readonly added: LogKey
  /** Active at present. */
  readonly endorser: LogKey
  /** The principal who does it. */
  readonly by: string
}

/** A key that is to sign no more. */
export interface KeyEnd {
  /** The whole verifier key. */
  readonly key: string
  readonly by: string
  /** Of a key that somebody else may have: what it signed counts up to checkpoints of this size, and no further. Undefined where it is only retired. */
  readonly lastGoodSize?: number
}

// Few processes change keys, and all of them load this file.
const evidence = () => import('../evidence/log/index.js')

/**
 * The keys of the log, and who may change them: administrators. Each change is one event of the governance stream, durable on return; whoever may
 * not is refused with `not_permitted`, and the attempt is recorded. What makes no sense is refused with `invalid_change`.
 */
export class Keys {
  readonly #parts: ChangeParts

  constructor(parts: ChangeParts) {
    this.#parts = parts
  }

  /** In the order in which they were added. */
  async list(): Promise<readonly LoggedKey[]> {
    const { KeyLedger } = await evidence()
    const ledger = new KeyLedger()
    await ledger.readFrom(this.#parts.store)
    return ledger.keys
  }

  /** Adds a key beside those that are active. Rejects besides with what a signer throws. */
  async add({ added, endorser, by }: KeyAddition): Promise<void> {
    const { keyAdded } = await evidence()
    const draft = await keyAdded(added, endorser)
    const key = added.key.text
    await this.#change({ change: 'add_key', by, key, draft }, (ledger) => {
      if (ledger.find(key) !== undefined) return `The key ${key} was added before, and a key is added once.`
      if (ledger.find(endorser.key.text)?.state === 'active') return undefined
      return `The key ${endorser.key.text}, which is to vouch for the new one, is not active.`
    })
  }

  /** Ends a key: retires it, or says that somebody else may have it. */
  async end({ key, by, lastGoodSize }: KeyEnd): Promise<void> {
    const { keyCompromised, keyRetired } = await evidence()
    const isRetired = lastGoodSize === undefined
    const draft = isRetired ? keyRetired(key) : keyCompromised(key, lastGoodSize)
    const change = isRetired ? 'retire_key' : 'compromise_key'
    await this.#change({ change, by, key, draft }, (ledger) => {
      const known = ledger.find(key)
      if (known === undefined) return `There is no key ${key} in this log.`
      if (!isRetired) {
        const isSize = Number.isSafeInteger(lastGoodSize) && lastGoodSize >= 0
        return isSize ? undefined : `The size of a checkpoint is a whole number, but it was ${String(lastGoodSize)}.`
      }
      if (known.state !== 'active') return `The key ${key} was ${known.state} before.`
      const others = ledger.keys.filter((one) => one.state === 'active' && one.key !== key)
      return others.length > 0 ? undefined : 'It is the last key that may sign: add another one before it is retired.'
    })
  }

  async #change(wanted: KeyChange, objection: (ledger: KeyLedger) => string | undefined): Promise<void> {
    const { change, key, draft } = wanted
    const by = principalId(wanted.by)
    const { KeyLedger } = await evidence()
    const ledger = new KeyLedger()
    const { store, book } = this.#parts
    for (;;) {
      await ledger.readFrom(store)
      let isStale = false
      const answer = changeLaw<undefined>(this.#parts, by, (now) => {
        // Somebody has added to the stream since the keys were read.
        isStale = book.head.seq !== ledger.head.seq
        if (isStale) return { kind: 'change', drafts: [], result: undefined }
        const refused = objectionTo({ change, by, about: { key } }, now)
        if (refused !== undefined) return refused
        const problem = objection(ledger)
        return problem === undefined ? { kind: 'change', drafts: [draft], result: undefined } : invalid(problem)
      })
      await answer
      if (!isStale) return
    }
  }
}

interface KeyChange {
  readonly change: GovernedChange
  readonly by: string
  readonly key: string
  readonly draft: Draft
}

import type { Payment, Receipt } from './services.js'

/** A payment that the bank made, and how often it was asked for. */
export interface Transfer extends Payment {
  readonly key: string
  readonly receipt: string
  readonly requests: number
}

/** What the bank says to a request: an HTTP status, and the receipt if there is one. */
export interface BankAnswer {
  readonly status: 200 | 201 | 409 | 422
  readonly body: Receipt | { readonly error: string }
}

/** A bank that remembers keys: the same key with the same payment pays nothing more, and with another one it is refused. */
export class Bank {
  readonly #transfers = new Map<string, Transfer>()

  transfer(payment: Payment, key: string | undefined): BankAnswer {
    if (key === undefined) return refused(422, 'A transfer has a key.')
    const known = this.#transfers.get(key)
    if (known === undefined) return this.#pay(payment, key)
    if (!isSame(known, payment)) return refused(409, `Key ${key} was used for another payment.`)
    this.#transfers.set(key, { ...known, requests: known.requests + 1 })
    return { status: 200, body: { receipt: known.receipt } }
  }

  /** Every payment that was made, in its order. */
  get ledger(): readonly Transfer[] {
    return [...this.#transfers.values()]
  }

  #pay({ invoice, to, cents }: Payment, key: string): BankAnswer {
    const receipt = `R-${1001 + this.#transfers.size}`
    this.#transfers.set(key, { invoice, to, cents, key, receipt, requests: 1 })
    return { status: 201, body: { receipt } }
  }
}

function refused(status: 409 | 422, error: string): BankAnswer {
  return { status, body: { error } }
}

function isSame(a: Payment, b: Payment): boolean {
  return a.invoice === b.invoice && a.to === b.to && a.cents === b.cents
}

/** The world outside that a payment touches. */
export interface Services {
  readonly invoices: {
    readonly read: (invoice: string) => Promise<Bill>
    readonly state: (invoice: string) => Promise<InvoiceState>
  }
  readonly bank: {
    /** The same key again is the same payment, and gets the same receipt. */
    readonly transfer: (payment: Payment, request: { key: string; signal: AbortSignal }) => Promise<Receipt>
  }
}

/** What an invoice says. */
export interface Bill {
  readonly vendor: string
  readonly cents: number
}

/** Whether an invoice was paid by somebody else: by whom, if so. */
export interface InvoiceState {
  readonly paidBy?: string
}

/** What a bank is asked to pay, and for which invoice. */
export interface Payment {
  readonly invoice: string
  readonly to: string
  readonly cents: number
}

/** What a bank answers. */
export interface Receipt {
  readonly receipt: string
}

/** The services behind a URL. A `fetch` that fails leaves open whether the bank has paid, and Constancia takes it for that. */
export function servicesAt(url: string): Services {
  const call = async <T>(path: string, init: RequestInit = {}): Promise<T> => {
    const response = await fetch(`${url}${path}`, init)
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`)
    return (await response.json()) as T
  }
  return {
    invoices: {
      read: (invoice) => call(`/invoices/${invoice}`),
      state: (invoice) => call(`/invoices/${invoice}/state`),
    },
    bank: {
      transfer: (payment, { key, signal }) =>
        call('/transfers', {
          method: 'POST',
          headers: { 'idempotency-key': key },
          body: JSON.stringify(payment),
          signal,
        }),
    },
  }
}

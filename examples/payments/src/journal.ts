/** Tells the events of a payment in words. `constancia show` does it for any run. */
import type { Contract, StoredEvent } from 'constancia'

/** What the body of an event says; empty where there is none. */
export function bodyOf(event: Pick<StoredEvent, 'body'> | undefined): Readonly<Record<string, unknown>> {
  return JSON.parse(event?.body ?? '{}') as Readonly<Record<string, unknown>>
}

/** Who wrote an event: a worker, by the number of its claim, or a person. */
export function writerOf({ by }: Pick<StoredEvent, 'by'>): string {
  const epoch = /^claim:.*@(\d+)$/.exec(by)?.[1]
  return epoch === undefined ? by.replace(/^(principal|system):/, '') : `worker ${epoch}`
}

/** What an event says, in words. */
export function wordsOf(event: StoredEvent, contract: Contract): string {
  const tell = Object.hasOwn(tellers, event.kind) ? tellers[event.kind] : undefined
  return tell?.(bodyOf(event), dataOf(event), contract) ?? ''
}

/** The user's turn: the words of a template with its values, in a language. */
export function turnOf(event: StoredEvent, { declared }: Contract, language: string): string {
  const values = dataOf(event)
  const template = declared.templates.find(({ name }) => name === bodyOf(event)['template'])
  return (template?.texts[language] ?? '').replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name]))
}

/** An amount of cents as people write it. */
export function amount(cents: unknown): string {
  return (Number(cents) / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })
}

type Fields = Readonly<Record<string, unknown>>
type Teller = (body: Fields, data: Fields, contract: Contract) => string

const tellers: Readonly<Record<string, Teller>> = {
  FlowStarted: ({ flow, actor }) => `${flow}, as ${actor}`,
  ActionAuthorized: ({ name, rule, roles, approval }) =>
    `${name}: rule ${Number(rule) + 1}, as ${list(roles)}${approval === undefined ? '' : ', approved'}`,
  ActionCompleted: ({ name }, { vendor, cents, receipt }) =>
    `${name}: ${receipt === undefined ? `${vendor}, ${amount(cents)}` : receipt}`,
  ActionDenied: ({ name, code }, { message }) => `${name}: ${code}. ${reasonIn(message)}`,
  ApprovalRequested: ({ policy }) => {
    const { roles, quorum } = policy as { readonly roles: readonly string[]; readonly quorum: number }
    return `needs ${quorum} ${list(roles)}${quorum === 1 ? '' : 's'}, not the actor`
  },
  ApprovalVoted: ({ choice, roles }) => `${choice}s, as ${list(roles)}`,
  ApprovalResolved: ({ outcome }) => String(outcome),
  ResumeAuthorized: ({ roles }) => `the actor holds ${list(roles)} now`,
  MessageSent: ({ template }) => String(template),
  FlowCompleted: (_, { paid }) => (paid === true ? 'paid' : 'not paid'),
  FlowFailed: ({ code }) => String(code),
}

function dataOf({ data }: StoredEvent): Fields {
  return data === undefined ? {} : (JSON.parse(data) as Fields)
}

function list(names: unknown): string {
  return (names as readonly string[]).join(', ')
}

// The middle of the message: before it comes what was denied, after it that nothing was executed.
function reasonIn(message: unknown): string {
  const text = String(message)
  return / \([a-z_]+\): (.*) Nothing was executed\.$/s.exec(text)?.[1] ?? text
}

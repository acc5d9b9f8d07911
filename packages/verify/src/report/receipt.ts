import type { ReadEvent, ReadText } from '../bundle/index.js'
import { parseStrictJson } from '../strict-json.js'

/** The one event that a receipt is about, and what it says in words. */
export interface ReceiptReport {
  /** `run/<id>`, in all but odd receipts. */
  readonly stream: string
  readonly seq: number
  readonly kind: string
  /** UTC milliseconds since 1970, by the operator's clock. */
  readonly atMs: number
  /** Who wrote it: `claim:…`, `principal:…` or `system:…`. */
  readonly by: string
  /** The exact text of the fact; undefined where it is withheld. */
  readonly body: string | undefined
  /** What the fact carries: its exact text, or why there is none. */
  readonly data:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'none' | 'withheld' | 'erased'; readonly text?: never }
  /** Who decided what, or what was done, and when, in a whole sentence. It is what the journal says; whether it is proven, the verdict tells. */
  readonly text: string
}

// Names and roles are whatever somebody wrote there.
const wordLengthMax = 400
const rolesMax = 20

/** What a receipt says of its event. */
export function receiptOf(event: ReadEvent): ReceiptReport {
  const { stream, seq, kind, at, by, body, data } = event
  return {
    stream,
    seq,
    kind,
    atMs: at,
    by,
    body: body.kind === 'text' ? body.text : undefined,
    data: dataOf(data),
    text: `${sentence(event)} at ${new Date(at).toISOString()}.`,
  }
}

function dataOf(data: ReadText | undefined): ReceiptReport['data'] {
  if (data === undefined) return { kind: 'none' }
  return data.kind === 'text' ? { kind: 'text', text: data.text } : { kind: data.kind }
}

type Fact = Readonly<Record<string, unknown>>

/** What each kind of decision and of effect says; what is no fact of its form is told as any other kind. */
const sentences: ReadonlyMap<string, (fact: Fact) => string | undefined> = new Map([
  ['ApprovalVoted', votedText],
  ['ApprovalWithdrawn', (fact: Fact) => sentenceOf`${fact['voter']} took back a vote on ${thingOf(fact)}`],
  ['ApprovalResolved', (fact: Fact) => sentenceOf`The approval of ${thingOf(fact)} came to "${fact['outcome']}"`],
  ['ActionAuthorized', (fact: Fact) => sentenceOf`${thingOf(fact)} was authorised, its actor being ${rolesOf(fact)},`],
  ['ActionCompleted', completedText],
  ['ActionFailed', (fact: Fact) => sentenceOf`${thingOf(fact)} failed for good (${fact['code']})`],
  ['ActionDenied', (fact: Fact) => sentenceOf`${thingOf(fact)} was refused (${fact['code']})`],
  ['OutcomeUnknown', (fact: Fact) => sentenceOf`Whether ${thingOf(fact)} was done was not known`],
  ['OutcomeStated', statedText],
  ['StepCompleted', (fact: Fact) => sentenceOf`${thingOf(fact)} was done, at attempt ${fact['attempt']},`],
  ['MessageSent', (fact: Fact) => sentenceOf`The message ${fact['template']} was sent to the user`],
])

function votedText(fact: Fact): string | undefined {
  const said = { approve: 'approved', reject: 'rejected' }[String(fact['choice'])]
  const changed = fact['amended'] === null ? '' : ', with changes,'
  return sentenceOf`${fact['voter']} ${said} ${thingOf(fact)}${changed} as ${rolesOf(fact)}`
}

function completedText(fact: Fact): string | undefined {
  if (fact['found'] === true) return sentenceOf`${thingOf(fact)} was found to be done`
  return sentenceOf`${thingOf(fact)} was done, at attempt ${fact['attempt']},`
}

function statedText(fact: Fact): string | undefined {
  const said = { done: 'was done', not_done: 'was not done', failed: 'failed' }[String(fact['outcome'])]
  return sentenceOf`${fact['stater']} stated as ${rolesOf(fact)} that ${thingOf(fact)} ${said},`
}

function thingOf({ name, op }: Fact): string | undefined {
  return sentenceOf`${name} (op ${op})`
}

function rolesOf({ roles }: Fact): string | undefined {
  if (!Array.isArray(roles)) return undefined
  return roles.length === 0 ? 'nobody in particular' : roles.slice(0, rolesMax).map(String).join(', ')
}

/** A sentence of words and numbers; undefined where one of them is missing or something else. */
function sentenceOf(pieces: TemplateStringsArray, ...words: readonly unknown[]): string | undefined {
  const areWords = words.every((word) => typeof word === 'string' || typeof word === 'number')
  return areWords
    ? String.raw({ raw: pieces }, ...words.map((word) => String(word).slice(0, wordLengthMax)))
    : undefined
}

function sentence({ kind, by, body }: ReadEvent): string {
  const parsed = parseStrictJson(body.kind === 'text' ? body.text : '')
  const fact = parsed.kind === 'value' && typeof parsed.value === 'object' ? parsed.value : null
  return (fact && sentences.get(kind)?.(fact as Fact)) ?? `${kind} was written by ${by}`
}

/** Where something may be altered between the request of an approval and the effect, in the order of a run. */
export const places = [
  'after the request',
  'between the votes',
  'before the run is taken up',
  'after it was taken up',
  'before it may resume',
  'after it may resume',
  'while somebody looks at the situation',
  'before it is authorised',
  'after it was authorised',
  'while it is sent',
  'before it is tried again',
  'while its process is down',
  'after another has taken it up',
  'before somebody says what came of it',
] as const

/** One of {@link places}. */
export type Place = (typeof places)[number]

/** What the contract in force says otherwise than the one that the run began with. */
export const amendments = [
  'the rule is for others',
  'the condition is stricter',
  'more have to approve',
  'others have to approve',
  'the action is gone',
  'the schema is another',
  'others may resume',
  'less may be spent',
  'the wording is another',
  'one more rule',
] as const

/** One of {@link amendments}. */
export type Amendment = (typeof amendments)[number]

/** Something that happens to the law or the world, or is undone. */
export type Alteration =
  | { readonly kind: 'revoke' | 'grant'; readonly principal: string; readonly role: string }
  | { readonly kind: 'delegate' | 'undelegate'; readonly from: string; readonly to: string }
  | { readonly kind: 'link'; readonly principal: string; readonly person: string }
  | { readonly kind: 'amend'; readonly amendments: readonly Amendment[] }
  | { readonly kind: 'situation'; readonly objection: string | undefined }
  | { readonly kind: 'time'; readonly toMs: number }
  | { readonly kind: 'withdraw'; readonly voter: string }

/** What the destination of an effect offers. */
export type Protocol = 'idempotent' | 'verify' | 'once'

/** How the run comes to the effect, or what the flow does with what was approved. */
export type Style = 'ask-first' | 'just-do' | 'ask-and-alter' | 'ask-and-do-twice'

/** What goes wrong on the way to the effect. */
export type Mishap =
  | 'nothing'
  | 'the first attempt is not sent'
  | 'the first attempt is cut off'
  | 'the process ends after it may resume'
  | 'the process ends with an open intent'
  | 'the process ends while it is sent'

/** One case. */
export interface Case {
  readonly seed: number
  readonly style: Style
  readonly protocol: Protocol
  readonly mishap: Mishap
  readonly quorum: number
  readonly voters: readonly string[]
  /** Who names another digest than what was shown. */
  readonly liar: string | undefined
  /** When grants and delegations end that have an end, as milliseconds after the start. */
  readonly endsMs: number
  readonly ending: readonly string[]
  readonly altered: ReadonlyMap<Place, readonly Alteration[]>
}

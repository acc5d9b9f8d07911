import type { Store } from '../../store/index.js'

/** What decides what is left. */
export interface Leftover {
  readonly store: Pick<Store, 'transactions'>
  /** The principal, where it was about one, and other identities of the same person. */
  readonly principal: string | undefined
  readonly identities: readonly string[]
  /** Runs that gave something to those that were erased, or got something of them. */
  readonly relatives: readonly string[]
  /** Runs that were left out because they are not over. */
  readonly open: readonly string[]
}

const always = [
  'In the journals: that each event happened, its kind, when, by which principal or claim; names, roles, codes, durations, keys of limits and ids of runs and deliveries. Ids are pseudonyms: who is behind one is known elsewhere.',
  'Digests of what was erased: nobody gets the text back from them, or can tell whether a guess is right, because their salts are gone.',
  'Digests of what an approval showed, and of what it was amended to: their salts follow from run and op, so whoever guesses such a text to the letter can tell that it was this.',
  'Bundles, receipts and exports that were given away before, messages that were sent, and what actions did elsewhere.',
  'Backups, replicas and archived logs of the database: they forget by their own retention. A restored backup has to be erased again.',
]

const ofStores: Readonly<Record<Store['transactions'], readonly string[]>> = {
  none: [],
  sqlite: ['Copies of the database file, and what the disk itself keeps of blocks that were written over.'],
  postgres: [
    'In the files of the database until VACUUM (automatic, or at once: VACUUM event_data), and in its write-ahead log until that is recycled.',
  ],
}

/** What an erasure does not take away, in whole sentences. */
export function remainsOf({ store, principal, identities, relatives, open }: Leftover): readonly string[] {
  const someone =
    principal === undefined
      ? [
          'Reasons of refused attempts at these runs, which stand in the refusals stream; erasing a principal takes theirs.',
        ]
      : [`What others wrote about ${principal} in runs that act as somebody else; name such runs to erase all of them.`]
  return [
    ...listed('Runs that are not over and were left as they are: ', open),
    ...listed('Copies in runs that gave these something, or got something of them: ', relatives),
    ...listed(`Other identities of the same person, each of which is erased by itself: `, identities),
    ...someone,
    ...always,
    ...ofStores[store.transactions],
  ]
}

const shownMax = 20

function listed(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const rest = names.length > shownMax ? ` and ${names.length - shownMax} more` : ''
  return [`${what}${names.slice(0, shownMax).join(', ')}${rest}.`]
}

import { bytesOfHex, type CheckName } from '../../../dist/index.js'
import { chained, checkpointNote, type Draft, kept, Log, type LogEvent, repaired, signerOf } from '../log.js'
import { type Case, caseOf, forged, keyText, rewritten, runsOf, threeRuns } from './case.js'

/** Files that were changed by somebody who has no key, and makes the end line fit; and some where they do not. */
export async function forgedCases(): Promise<Case[]> {
  const cases: Case[] = []
  for (const [name, [check, change]] of Object.entries(changes))
    cases.push(caseOf(`forged-${name}`, await forged(change), { verdict: 'forged', check }))
  const cut = await rewritten((text) => text.replace('"op":"1"', '"op":"7"'), { repair: false })
  const ended = await rewritten((text) => text.replace(/end [0-9a-f]{2}/, 'end 00'), { repair: false })
  const three = threeRuns()
  const bundle = await three.bundle(runsOf(three))
  return [
    ...cases,
    caseOf('forged-digest', ended, { verdict: 'forged', check: 'digest' }),
    caseOf('forged-text-and-digest', cut, { verdict: 'forged', check: 'digest' }),
    caseOf('forged-other-origin', bundle, {
      verdict: 'forged',
      check: 'origin',
      origin: 'other.example/log',
      keys: [keyText(1, 'other.example/log')],
    }),
    ...(await earlierCases()),
    ...(await mixedCases()),
  ]
}

const stream = (draft: Draft, name: string) => draft.streams.find((one) => one.name === name)!
const run = (draft: Draft, id: string) => stream(draft, `run/${id}`)

function chainAnew(events: readonly Omit<LogEvent, 'hash'>[]): LogEvent[] {
  const made: LogEvent[] = []
  for (const event of events) made.push(chained(made.at(-1), event))
  return made
}

const changes: Record<string, [CheckName, (draft: Draft, log: Log) => void]> = {
  'text-changed': [
    'chain',
    (draft) => {
      const { events } = run(draft, 'a')
      events[2] = { ...events[2]!, body: { kind: 'text', salt: '0'.repeat(32), text: '{"op":"9"}' } }
    },
  ],
  'event-deleted': ['chain', (draft) => run(draft, 'a').events.splice(2, 1)],
  'event-repeated': ['chain', (draft) => run(draft, 'a').events.splice(2, 0, run(draft, 'a').events[2]!)],
  'events-swapped': [
    'chain',
    (draft) => run(draft, 'a').events.splice(1, 2, ...run(draft, 'a').events.slice(1, 3).reverse()),
  ],
  'first-event-cut': ['chain', (draft) => run(draft, 'a').events.shift()],
  'last-event-cut': ['leaves', (draft) => run(draft, 'a').events.pop()],
  'governance-cut': ['leaves', (draft) => stream(draft, 'governance').events.pop()],
  'data-taken-away': [
    'chain',
    (draft) => {
      const { events } = run(draft, 'a')
      events[2] = { ...events[2]!, data: undefined }
    },
  ],
  'moment-changed': [
    'chain',
    (draft) => {
      const { events } = run(draft, 'a')
      events[2] = { ...events[2]!, at: events[2]!.at + 1 }
    },
  ],
  'writer-changed': [
    'chain',
    (draft) => {
      const { events } = run(draft, 'a')
      events[2] = { ...events[2]!, by: 'principal:eve' }
    },
  ],
  'chained-anew': [
    'leaves',
    (draft) => {
      const one = run(draft, 'a')
      one.events = chainAnew(one.events.map((event, i) => (i === 2 ? { ...event, by: 'principal:eve' } : event)))
    },
  ],
  'governance-chained-anew': [
    'seen',
    (draft) => {
      const one = stream(draft, 'governance')
      one.events = chainAnew(one.events.map((event, i) => (i === 1 ? { ...event, by: 'principal:eve' } : event)))
    },
  ],
  'run-renamed': [
    'chain',
    (draft) => {
      run(draft, 'a').name = 'run/aa'
      draft.leaves = draft.leaves.map((leaf) => (leaf.stream === 'run/a' ? { ...leaf, stream: 'run/aa' } : leaf))
    },
  ],
  'proof-changed': [
    'leaves',
    (draft) => {
      const leaf = draft.leaves[1]!
      draft.leaves[1] = { ...leaf, path: [...leaf.path.slice(0, -1), new Uint8Array(32)] }
    },
  ],
  'proof-too-short': [
    'leaves',
    (draft) => draft.leaves.splice(0, 1, { ...draft.leaves[0]!, path: draft.leaves[0]!.path.slice(1) }),
  ],
  'leaf-elsewhere': [
    'leaves',
    (draft) => draft.leaves.splice(0, 1, { ...draft.leaves[0]!, path: draft.leaves[1]!.path }),
  ],
  'leaf-with-a-greater-index': ['leaves', (draft) => draft.leaves.push({ ...draft.leaves.pop()!, index: 99 })],
  // The way to the root is the same from there: only the size of the tree tells that there is no such leaf.
  'last-leaf-with-twice-its-index': [
    'leaves',
    (draft) => {
      const leaf = draft.leaves.pop()!
      draft.leaves.push({ ...leaf, index: 2 * leaf.index })
    },
  ],
  'leaf-of-another-event': [
    'leaves',
    (draft) => {
      const at = draft.leaves.findIndex((leaf) => leaf.stream === 'run/a')
      draft.leaves[at] = { ...draft.leaves[at]!, seq: 3, hash: run(draft, 'a').events[3]!.hash }
    },
  ],
  'leaf-of-a-run-that-is-not-there': [
    'leaves',
    (draft) => {
      draft.streams = draft.streams.filter(({ name }) => name !== 'run/b')
      draft.scope = { kind: 'runs', count: 2 }
    },
  ],
  'proof-between-checkpoints': [
    'consistency',
    (draft) => draft.checkpoints.splice(1, 1, { ...draft.checkpoints[1]!, consistency: [new Uint8Array(32)] }),
  ],
  'checkpoint-left-out': ['consistency', (draft) => draft.checkpoints.splice(1, 1)],
  'cosignature-left-out': ['checkpoints', (draft) => lines(draft, 2, (all) => all.slice(0, 1))],
  'cosignature-left-out-of-the-first': ['checkpoints', (draft) => lines(draft, 0, (all) => all.slice(0, 1))],
  'signature-left-out': ['checkpoints', (draft) => lines(draft, 2, (all) => all.slice(1))],
  'signatures-swapped': ['checkpoints', (draft) => lines(draft, 2, (all) => [...all].reverse())],
  'signatures-of-another': [
    'checkpoints',
    (draft) => {
      const { signatures } = draft.checkpoints[1]!.note
      lines(draft, 2, () => signatures)
    },
  ],
  'cosignature-earlier': [
    'checkpoints',
    (draft) =>
      lines(draft, 2, ([one, two]) => {
        const signature = two!.signature.slice()
        signature[7]! ^= 1
        return [one!, { ...two!, signature }]
      }),
  ],
  'unknown-key-on-the-first-checkpoint': [
    'checkpoints',
    (draft, log) => {
      const { size } = log.sealed[0]!
      const head = { origin: log.origin, size, root: log.rootAt(size) }
      draft.checkpoints[0] = {
        ...draft.checkpoints[0]!,
        note: checkpointNote(head, signerOf(log.origin, 66), 1_772_323_200),
      }
    },
  ],
}

function lines(
  draft: Draft,
  at: number,
  change: (lines: Draft['checkpoints'][0]['note']['signatures']) => Draft['checkpoints'][0]['note']['signatures'],
): void {
  const one = draft.checkpoints[at]!
  draft.checkpoints[at] = { ...one, note: { ...one.note, signatures: change(one.note.signatures) } }
}

async function earlierCases(): Promise<Case[]> {
  const three = threeRuns()
  const bundle = await three.bundle(runsOf(three))
  const older = threeRuns()
  const size = older.leaves.length
  older.run('d', 2)
  const later = older.seal()
  // The operator has begun anew with other runs, and the auditor has kept a checkpoint of before.
  const other = new Log()
  other.run('z', 2)
  other.seal()
  const forgedRoot = checkpointNote({ origin: three.origin, size, root: bytesOfHex('ab'.repeat(32))! }, three.signer, 1)
  return [
    caseOf('forged-rolled-back', bundle, { verdict: 'forged', check: 'consistency', earlier: kept(later) }),
    caseOf('forged-another-history', bundle, {
      verdict: 'forged',
      check: 'consistency',
      earlier: kept(other.sealed[0]!),
    }),
    caseOf('forged-another-root', bundle, {
      verdict: 'forged',
      check: 'consistency',
      earlier: kept({ note: forgedRoot }),
    }),
  ]
}

async function mixedCases(): Promise<Case[]> {
  const mine = threeRuns()
  const others = threeRuns({ number: 2 })
  const text = (await mine.bundle(runsOf(mine))).toString()
  const otherText = (await others.bundle(runsOf(others))).toString()
  const tail = (of: string) => of.slice(of.indexOf('\nleaves '))
  const head = (of: string) => of.slice(0, of.indexOf('\nleaves '))
  const runs = (of: string) => of.slice(of.indexOf('\nstream run/a'), of.indexOf('\nleaves '))
  const governance = (of: string) => of.slice(0, of.indexOf('\nstream run/a'))
  const mixes: [string, string, CheckName][] = [
    ['seal-of-another-log', head(text) + tail(otherText), 'leaves'],
    ['events-of-another-log', head(otherText) + tail(text), 'leaves'],
    ['governance-of-another-log', governance(otherText) + runs(text) + tail(text), 'seen'],
    ['runs-of-another-log', governance(text) + runs(otherText) + tail(text), 'seen'],
  ]
  return mixes.map(([name, mixed, check]) =>
    caseOf(`forged-${name}`, Buffer.from(repaired(mixed)), { verdict: 'forged', check }),
  )
}

import { base64Of, type CheckName, type Note, type Scope } from '../../../dist/index.js'
import {
  addedBody,
  beginMs,
  checkpointNote,
  kept,
  type Log,
  type Signer,
  signedNote,
  signerOf,
  without,
  written,
} from '../log.js'
import { type Case, caseOf, type Expected, forged, keyText, runsOf, threeRuns } from './case.js'

/** Files that somebody has made who holds keys, of this log or others: everything is signed and fits, and yet it is not so. */
export async function operatorCases(): Promise<Case[]> {
  return [
    ...(await historyCases()),
    ...(await keyEventCases()),
    ...(await signerCases()),
    ...(await claimCases()),
    ...(await lackingCases()),
  ]
}

const wrong = (check: CheckName): Expected => ({ verdict: 'forged', check })

async function historyCases(): Promise<Case[]> {
  const cases: Case[] = []
  for (const [name, [check, act]] of Object.entries(histories)) {
    const log = threeRuns()
    act(log)
    log.seal()
    cases.push(caseOf(`operator-${name}`, await log.bundle(runsOf(log)), wrong(check)))
  }
  return cases
}

const zeros = '0'.repeat(64)
const head = (log: Log) => log.streams.get('governance')!.at(-1)!

const histories: Record<string, [CheckName, (log: Log) => void]> = {
  'run-without-a-beginning': ['genesis', (log) => log.append('run/d', 'StepCompleted', '{}')],
  'event-after-the-end': ['end', (log) => log.append('run/a', 'StepCompleted', '{}')],
  'second-end': ['end', (log) => log.append('run/a', 'FlowFailed', '{}')],
  'moment-goes-back': ['chain', (log) => log.append('run/c', 'StepCompleted', '{}', { at: beginMs })],
  'epoch-goes-back': [
    'epochs',
    (log) => {
      log.append('run/c', 'StepCompleted', '{}', { by: 'claim:c-2@2' })
      log.append('run/c', 'StepCompleted', '{}', { by: 'claim:c-1@1' })
    },
  ],
  'epoch-of-two-claims': ['epochs', (log) => log.append('run/c', 'StepCompleted', '{}', { by: 'claim:c-2@1' })],
  'head-that-is-not-there': ['seen', (log) => log.append('run/c', 'StepCompleted', '{}', { seen: `99:${zeros}/-` })],
  'head-with-another-hash': ['seen', (log) => log.append('run/c', 'StepCompleted', '{}', { seen: `1:${zeros}/-` })],
  'head-beyond-the-seal': [
    'seen',
    (log) => {
      log.append('run/c', 'StepCompleted', '{}', { seen: '-/-' })
      log.seal()
      const { seq, hash } = log.append('governance', 'Noted', '{}', { seen: '-/-' })
      const events = log.streams.get('run/c')!
      // What was sealed before knows what was written afterwards.
      const cut = events.pop()!
      log.append('run/c', 'StepCompleted', '{}', { seen: `${seq}:${hash}/-`, at: cut.at })
      const { hash: other } = events.at(-1)!
      const at = log.leaves.findLastIndex(({ stream }) => stream === 'run/c')
      log.reseal(at, other)
    },
  ],
  'governance-that-has-seen-itself': [
    'seen',
    (log) => {
      const { seq, hash } = log.append('governance', 'Noted', '{}')
      log.append('run/c', 'StepCompleted', '{}', { seen: `${seq}:${hash}/-` })
      log.append('governance', 'Noted', '{}', { seen: `${seq + 1}:${zeros}/-` })
    },
  ],
  'checkpoint-that-is-another': ['seen', (log) => log.append('run/c', 'StepCompleted', '{}', { seen: `-/2:${zeros}` })],
  'two-checkpoints-of-one-size': [
    'seen',
    (log) => {
      log.append('run/c', 'StepCompleted', '{}', { seen: `-/1:${zeros}` })
      log.append('run/c', 'StepCompleted', '{}', { seen: `-/1:${'1'.repeat(64)}` })
    },
  ],
  'checkpoint-that-came-later': [
    'seen',
    (log) => log.append('run/c', 'StepCompleted', '{}', { seen: `-/${log.leaves.length + 5}:${zeros}` }),
  ],
  'leaf-that-goes-back': [
    'leaves',
    (log) => {
      const { seq, hash } = log.streams.get('run/a')![2]!
      log.sealLeaf({ stream: 'run/a', seq, hash })
    },
  ],
  'leaf-of-no-such-event': ['leaves', (log) => log.sealLeaf({ stream: 'run/c', seq: 77, hash: zeros })],
  'two-histories': ['leaves', (log) => log.sealLeaf({ stream: 'run/c', seq: 3, hash: head(log).hash })],
  'governance-not-last': [
    'leaves',
    (log) => {
      log.seal()
      log.run('e', 2)
      const { seq, hash } = log.streams.get('run/e')![1]!
      log.sealLeaf({ stream: 'run/e', seq, hash })
      log.checkpoint()
    },
  ],
}

async function keyEventCases(): Promise<Case[]> {
  const cases: Case[] = []
  for (const [name, act] of Object.entries(keyEvents)) {
    const log = threeRuns()
    act(log, signerOf(log.origin, 2))
    log.seal()
    cases.push(caseOf(`keys-${name}`, await log.bundle(['a']), wrong('keys')))
  }
  const withheld = await forged(({ streams }) => {
    const [governance] = streams
    governance!.events[0] = { ...governance!.events[0]!, body: without(governance!.events[0]!.body, 'withheld') }
  })
  return [...cases, caseOf('keys-withheld', withheld, wrong('keys'))]
}

const added = (log: Log, body: string) => log.append('governance', 'KeyAdded', body, { by: 'system:evidence' })
const changedBody = (log: Log, next: Signer, change: (body: Record<string, unknown>) => object) =>
  added(log, JSON.stringify(change(JSON.parse(addedBody(log.origin, next, log.signer)))))

const keyEvents: Record<string, (log: Log, next: Signer) => void> = {
  'not-possessed': (log, next) =>
    changedBody(log, next, (body) => ({ ...body, possession: base64Of(new Uint8Array(64)) })),
  'not-endorsed': (log, next) => added(log, addedBody(log.origin, next, undefined)),
  'endorsed-wrongly': (log, next) =>
    changedBody(log, next, (body) => ({
      ...body,
      endorsement: { key: log.signer.key.text, signature: body['possession'] },
    })),
  'endorsed-by-itself': (log, next) => added(log, addedBody(log.origin, next, next)),
  'endorsed-by-a-stranger': (log, next) => added(log, addedBody(log.origin, next, signerOf(log.origin, 8))),
  'endorsed-by-a-retired-key': (log, next) => {
    const before = log.signer
    log.rotate(3)
    added(log, addedBody(log.origin, next, before))
  },
  'added-twice': (log, next) => {
    added(log, addedBody(log.origin, next, log.signer))
    added(log, addedBody(log.origin, next, log.signer))
  },
  'of-low-order': (log, next) => {
    const key = `${log.origin}+00000000+${base64Of(Uint8Array.of(1, 1, ...new Uint8Array(31)))}`
    changedBody(log, next, (body) => ({ ...body, key }))
  },
  'of-another-name': (log) => {
    const next = signerOf('other.example/log', 2)
    added(log, addedBody(log.origin, next, log.signer))
  },
  'for-another-log': (log, next) => added(log, addedBody('other.example/log', next, log.signer)),
  'name-twice': (log, next) => added(log, addedBody(log.origin, next, log.signer).replace('{', '{"key":"x",')),
  'names-in-another-order': (log, next) =>
    changedBody(log, next, ({ key, possession, endorsement }) => ({ possession, key, endorsement })),
  'one-name-more': (log, next) => changedBody(log, next, (body) => ({ ...body, note: '' })),
  'no-json': (log) => added(log, 'key'),
  'retired-without-being-added': (log, next) =>
    log.append('governance', 'KeyRetired', JSON.stringify({ key: next.key.text })),
  'compromised-without-a-size': (log) =>
    log.append('governance', 'KeyCompromised', JSON.stringify({ key: log.signer.key.text, lastGoodSize: -1 })),
}

async function signerCases(): Promise<Case[]> {
  const backDated = threeRuns()
  const before = backDated.signer
  backDated.rotate(2)
  backDated.signer = before
  backDated.run('d', 2)
  backDated.seal(Math.floor(beginMs / 1_000))
  const stolen = threeRuns()
  const good = stolen.leaves.length
  stolen.run('d', 2)
  stolen.seal()
  stolen.append('governance', 'KeyCompromised', JSON.stringify({ key: keyText(), lastGoodSize: good }))
  const unknown = threeRuns()
  unknown.signer = signerOf(unknown.origin, 44)
  unknown.run('d', 2)
  unknown.seal()
  const three = threeRuns()
  const bundle = await three.bundle(runsOf(three))
  const early = threeRuns()
  early.signer = signerOf(early.origin, 2)
  early.seal()
  early.addKey(early.signer, signerOf(early.origin, 1))
  const strangers = await forged((draft, log) => {
    draft.checkpoints = draft.checkpoints.map((one, i) => {
      const { size } = log.sealed[i]!
      const note = checkpointNote({ origin: log.origin, size, root: log.rootAt(size) }, signerOf(log.origin, 66), 1)
      return { ...one, note }
    })
  })
  const unverifiable: Expected = { verdict: 'unverifiable', check: 'checkpoints' }
  return [
    caseOf('signer-retired-and-back-dated', await backDated.bundle(['a', 'd']), wrong('checkpoints')),
    caseOf('signer-compromised', await stolen.bundle(['a', 'd']), wrong('checkpoints')),
    caseOf('signer-not-yet-added', await early.bundle(['a']), wrong('checkpoints')),
    caseOf('signer-given-but-never-added', await unknown.bundle(['a', 'd']), {
      ...wrong('checkpoints'),
      keys: [keyText(1), keyText(44)],
    }),
    caseOf('unverifiable-key-lost', bundle, { ...unverifiable, keys: [keyText(7)] }),
    caseOf('unverifiable-unknown-key', await unknown.bundle(['a', 'd']), unverifiable),
    caseOf('unverifiable-all-by-a-stranger', strangers, unverifiable),
  ]
}

const interval: Scope = { kind: 'interval', fromMs: beginMs, toMs: beginMs + 3_600_000, count: 3 }

async function claimCases(): Promise<Case[]> {
  const claimed = async (claim: ((text: string, signer: Signer) => Note) | undefined, scope = interval) => {
    const log = threeRuns()
    const draft = log.draft(['a', 'b', 'c'], scope)
    if (claim !== undefined) draft.claim = (given) => claim(given, log.signer)
    return written(draft)
  }
  const text = (await claimed(undefined)).toString()
  const begun = { ...interval, fromMs: beginMs + 10_000 }
  const over = { ...interval, toMs: beginMs + 10_000 }
  const otherText = await claimed((given, signer) => signedNote(given.replace(' 3\n', ' 4\n'), signer))
  const otherLog = await claimed((given, signer) => signedNote(given.replace(signer.key.name, 'other'), signer))
  const stranger = await claimed((given, signer) => signedNote(given, signerOf(signer.key.name, 5)))
  const crossed = await claimed((given, signer) => ({ ...signedNote('x\n', signer), text: given }))
  return [
    caseOf('claim-of-another-text', otherText, wrong('claim')),
    caseOf('claim-of-another-log', otherLog, wrong('origin')),
    caseOf('claim-by-a-stranger', stranger, wrong('claim')),
    caseOf('claim-with-a-signature-of-another', crossed, wrong('claim')),
    caseOf('claim-run-before-it', await claimed(undefined, begun), wrong('claim')),
    caseOf('claim-run-after-it', await claimed(undefined, over), wrong('claim')),
    caseOf('incomplete-no-claim', Buffer.from(text.slice(0, text.indexOf('\nclaim ') + 1)), {
      verdict: 'incomplete',
      check: 'claim',
    }),
  ]
}

async function lackingCases(): Promise<Case[]> {
  const three = threeRuns()
  const withoutLeaf = (stream: string, at: number) =>
    forged((draft) => {
      const found = draft.leaves.filter((leaf) => leaf.stream === stream).at(at)
      draft.leaves = draft.leaves.filter((leaf) => leaf !== found)
    })
  const unsealed = threeRuns()
  unsealed.run('d', 3)
  const alone = three.draft(['a'])
  alone.leaves = alone.leaves.filter(
    ({ stream, index }) => stream !== 'governance' || index === three.leaves.length - 1,
  )
  alone.checkpoints = [{ ...alone.checkpoints.at(-1)!, consistency: [] }]
  return [
    caseOf('incomplete-last-governance-leaf', await withoutLeaf('governance', -1), {
      verdict: 'incomplete',
      check: 'leaves',
    }),
    caseOf('incomplete-first-governance-leaf', await withoutLeaf('governance', 0), {
      verdict: 'incomplete',
      check: 'leaves',
    }),
    caseOf('incomplete-earlier-checkpoint', await written(alone), {
      verdict: 'incomplete',
      earlier: kept(three.sealed[0]!),
    }),
    caseOf('unsealed-leaf-left-out', await withoutLeaf('run/a', 0), { verdict: 'unsealed', check: 'coverage' }),
    caseOf('unsealed-run', await unsealed.bundle(['a', 'd']), { verdict: 'unsealed', check: 'coverage' }),
  ]
}

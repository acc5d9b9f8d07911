import { beginMs, kept, Log, signerOf, without, written } from '../log.js'
import { type Case, caseOf, forged, keyText, runsOf, threeRuns } from './case.js'
import { erasedBody } from './erased.js'

/** Files of honest operators. */
export async function honestCases(): Promise<Case[]> {
  return [...(await plainCases()), ...(await keyCases()), ...(await otherCases())]
}

async function plainCases(): Promise<Case[]> {
  const one = new Log()
  one.run('a', 4)
  one.seal()
  const three = threeRuns()
  const open = threeRuns()
  open.append('run/c', 'StepCompleted', '{"op":"9"}')
  const long = new Log()
  for (let number = 0; number < 20; number++) {
    long.run(`r-${String(number).padStart(2, '0')}`, 2)
    if (number % 3 === 0) long.seal()
  }
  long.seal()
  const texts = new Log()
  for (const [number, data] of oddTexts.entries())
    texts.append('run/t', number === 0 ? 'FlowStarted' : 'StepCompleted', number === 0 ? started : '{}', { data })
  texts.seal()
  return [
    caseOf('honest-one-run', await one.bundle(['a'])),
    caseOf('honest-three-runs', await three.bundle(runsOf(three))),
    caseOf('honest-one-of-three', await three.bundle(['b'])),
    caseOf('honest-beyond-the-seal', await open.bundle(['c'])),
    caseOf('honest-twenty-runs', await long.bundle(runsOf(long))),
    caseOf('honest-odd-texts', await texts.bundle(['t'])),
  ]
}

const started = '{"flow":"count","version":1,"actor":null,"contract":null}'

const oddTexts = [
  '',
  '"😀  דּ"',
  '{"line":"looks\nlike"}\nend 0000\nevent 5 A\n',
  '\uFEFF"a byte order mark"',
  '{"a":1,"a":2}',
  `"${'long '.repeat(300)}"`,
  '\u0000\u0001',
]

async function keyCases(): Promise<Case[]> {
  const rotated = threeRuns()
  rotated.rotate(2)
  rotated.run('d', 3)
  rotated.seal()
  const twice = threeRuns()
  twice.nowMs -= 500
  twice.rotate(2)
  twice.nowMs -= 1_000
  twice.rotate(3)
  twice.seal()
  const lost = threeRuns()
  const compromised = threeRuns()
  compromised.rotate(2)
  const body = { key: keyText(1), lastGoodSize: compromised.leaves.length }
  compromised.append('governance', 'KeyCompromised', JSON.stringify(body), { by: 'system:evidence' })
  compromised.seal()
  const overlapping = threeRuns()
  overlapping.addKey(signerOf(overlapping.origin, 2), overlapping.signer)
  overlapping.run('d', 2)
  overlapping.seal()
  return [
    caseOf('honest-rotation', await rotated.bundle(runsOf(rotated))),
    caseOf('honest-rotation-second-key-trusted', await rotated.bundle(['a', 'd']), { keys: [keyText(2)] }),
    caseOf('honest-rotation-twice-in-a-second', await twice.bundle(['a'])),
    caseOf('honest-two-keys-trusted', await rotated.bundle(['d']), { keys: [keyText(1), keyText(2)] }),
    caseOf('honest-one-key-trusted-that-is-not-in-it', await lost.bundle(['a']), { keys: [keyText(9), keyText(1)] }),
    caseOf('honest-compromised-later', await compromised.bundle(['a', 'b'])),
    caseOf('honest-two-keys-active', await overlapping.bundle(['d'])),
  ]
}

async function otherCases(): Promise<Case[]> {
  const three = threeRuns()
  const [first] = three.sealed
  const scope = { kind: 'interval', fromMs: beginMs, toMs: beginMs + 3_600_000, count: 3 } as const
  const none = { kind: 'interval', fromMs: beginMs + 7_200_000, toMs: beginMs + 7_200_001, count: 0 } as const
  const witness = signerOf('witness.example/w', 5)
  const blank = new Log()
  for (const kind of ['FlowStarted', 'FlowFailed'])
    blank.append('run/n', kind, kind === 'FlowStarted' ? started : '{}', { seen: '-/-', by: 'system:api' })
  blank.seal()
  return [
    caseOf('honest-interval', await three.bundle(['a', 'b', 'c'], scope)),
    caseOf('honest-interval-without-runs', await three.bundle([], none)),
    caseOf('honest-earlier-checkpoint', await three.bundle(['c']), { earlier: kept(first!) }),
    caseOf('honest-last-checkpoint-known', await three.bundle(['c']), { earlier: kept(three.sealed.at(-1)!) }),
    caseOf('honest-nothing-seen', await blank.bundle(['n'])),
    caseOf(
      'honest-withheld-and-erased',
      await forged(({ streams }) => {
        const run = streams.find(({ name }) => name === 'run/b')!
        run.events = run.events.map((event, i) => ({
          ...event,
          body: i === 1 ? without(event.body, 'withheld') : event.body,
          data: event.data && i !== 2 ? without(event.data, i === 3 ? 'withheld' : 'erased') : event.data,
        }))
      }, erasedLog()),
    ),
    caseOf(
      'honest-witness',
      await forged(({ checkpoints }) => {
        const last = checkpoints.at(-1)!
        const line = { name: witness.key.name, keyId: witness.key.cosignatureKeyId, signature: new Uint8Array(72) }
        checkpoints[checkpoints.length - 1] = {
          ...last,
          note: { ...last.note, signatures: [...last.note.signatures, line] },
        }
      }),
    ),
    caseOf('honest-two-checkpoints-left-out', await leftOut(threeRuns())),
  ]
}

function erasedLog(): Log {
  const log = threeRuns()
  log.append('governance', 'Erased', erasedBody(['run/b', 0, 1]))
  log.seal()
  return log
}

/** Only the last checkpoint, and the leaves that it needs. */
async function leftOut(log: Log): Promise<Buffer> {
  const draft = log.draft(['a'])
  const size = log.leaves.length
  const checkpoints = [{ ...draft.checkpoints.at(-1)!, consistency: [] }]
  const leaves = draft.leaves.filter(({ stream, index }) => stream !== 'governance' || index === size - 1)
  return written({ ...draft, checkpoints, leaves })
}

import { describe, expect, test } from 'vitest'
import { isCampaign, keep } from '../../../constancia/test/processes/campaign.js'
import { type Report, verifyBundle } from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { Both } from '../second-verifier/both.js'
import { keyText, runsOf } from './cases/case.js'
import {
  chained,
  checkpointNote,
  chunks,
  type Draft,
  kept,
  Log,
  type LogEvent,
  origin,
  repaired,
  signerOf,
  written,
} from './log.js'

const eventCount = 100
/** The second verifier is asked about each of so many. */
const secondEvery = isCampaign ? 1 : 16

/** Three runs that take turns, a rotation, five sealings: so many events in all. */
function reference(): Log {
  const log = new Log()
  const each = Math.floor((eventCount - 4) / 3)
  for (let seq = 0; seq < each; seq++) {
    for (const id of ['a', 'b', 'c']) {
      const kind = seq === 0 ? 'FlowStarted' : seq === each - 1 && id !== 'c' ? 'FlowCompleted' : 'StepCompleted'
      const body = seq === 0 ? '{"flow":"f","version":1,"actor":null,"contract":null}' : `{"op":"${seq}"}`
      log.append(`run/${id}`, kind, body, { data: `"${id}${seq}"` })
    }
    if (seq % Math.ceil(each / 4) === 1) log.seal()
    if (seq === Math.floor(each / 2)) log.rotate(2)
  }
  log.append('governance', 'Noted', '{}')
  log.seal()
  return log
}

const log = reference()
const honest = log.draft(runsOf(log))

function verify(bytes: Uint8Array, earlier?: string): Promise<Report> {
  return verifyBundle(chunks(bytes), { crypto: nodeCrypto, keys: [keyText()], origin, ...(earlier && { earlier }) })
}

const copy = (): Draft => ({
  ...honest,
  streams: honest.streams.map(({ name, events }) => ({ name, events: [...events] })),
  leaves: [...honest.leaves],
  checkpoints: [...honest.checkpoints],
})

/** What an attacker repairs, who has no key: nothing but the counts and the end line; or all hashes, seqs and leaves too. */
const attackers: Record<string, (draft: Draft) => Draft> = {
  'who makes counts and the end line fit': (draft) => draft,
  'who chains everything anew as well': (draft) => {
    const streams = draft.streams.map(({ name, events }) => {
      const made: LogEvent[] = []
      for (const event of events)
        made.push(chained(made.at(-1), { ...event, at: Math.max(event.at, made.at(-1)?.at ?? 0), stream: name }))
      return { name, events: made }
    })
    const leaves = draft.leaves.map((leaf) => {
      const events = streams.find(({ name }) => name === leaf.stream)!.events
      const sealed = events[Math.min(leaf.seq, events.length - 1)]!
      return { ...leaf, seq: sealed.seq, hash: sealed.hash }
    })
    return { ...draft, streams, leaves }
  },
}

/** Each way of changing the events of a bundle, as what is done to the lists of events. */
function* changes(): Generator<[string, (streams: LogEvent[][]) => unknown]> {
  for (const [of, { events }] of honest.streams.entries()) {
    for (let seq = 0; seq < events.length; seq++) {
      yield [`deleted ${of}/${seq}`, (lists) => lists[of]!.splice(seq, 1)]
      yield [`repeated ${of}/${seq}`, (lists) => lists[of]!.splice(seq, 0, events[seq]!)]
      if (seq + 1 < events.length)
        yield [`swapped ${of}/${seq}`, (lists) => lists[of]!.splice(seq, 2, events[seq + 1]!, events[seq]!)]
    }
    for (const [from, { events: others }] of honest.streams.entries()) {
      if (from === of) continue
      for (let seq = 1; seq < events.length; seq += isCampaign ? 1 : 5)
        yield [
          `spliced ${of}/${seq} with ${from}`,
          (lists) => lists[of]!.splice(seq, Number.POSITIVE_INFINITY, ...others.slice(seq)),
        ]
    }
  }
}

/** Whether every stream is what it was, with more behind it. */
function isOnlyLonger({ streams }: Draft): boolean {
  return honest.streams.every(({ events }, of) =>
    events.every(({ hash }, seq) => streams[of]!.events[seq]?.hash === hash),
  )
}

describe('R-G5 T16 whatever is done to a bundle by somebody without its keys is refused', () => {
  test('the bundle itself is proven', async () => {
    const report = await verify(await written(copy()))
    expect([report.verdict, report.runs.map(({ eventCount: count }) => count)]).toEqual(['proven', expect.any(Array)])
    const total = honest.streams.reduce((sum, { events }) => sum + events.length, 0)
    expect(total).toBeGreaterThanOrEqual(eventCount - 4)
  })

  test.each(Object.keys(attackers))(
    'R-G6 events deleted, repeated, swapped and spliced by somebody %s',
    async (name) => {
      const missed: string[] = []
      const both = new Both()
      let count = 0
      for (const [what, change] of changes()) {
        const draft = copy()
        const lists = draft.streams.map(({ events }) => events)
        change(lists)
        // A stream of which nothing is left is not even written.
        if (lists.some(({ length }) => length === 0)) continue
        const attacked = attackers[name]!(draft)
        const bytes = await written(attacked)
        const report = await verify(bytes)
        const { verdict, checks, notProven } = report
        if (count % secondEvery === 0) both.add(what, bytes, { keys: [keyText()] }, report)
        const named = checks.flatMap(({ result, reasons }) => (result === 'failed' ? reasons : []))
        count += 1
        // Who adds events behind the last leaf has added what the report says is not sealed, and nothing else.
        const isHarmless = isOnlyLonger(attacked) && notProven.join(' ').includes('is not sealed')
        const isRefused = verdict === 'forged' && named.some(({ seq }) => seq !== undefined)
        const isFound = isRefused || (isHarmless && verdict === 'proven')
        if (!isFound) missed.push(`${what}: ${verdict}`)
      }
      both.ask()
      keep(`t16-${name.replaceAll(' ', '-')}`, {
        table: () =>
          `T16, by somebody ${name}: ${count} bundles, missed ${missed.length}; ${both.count} by both verifiers, ${both.differing.length} differ`,
      })
      expect(missed).toEqual([])
      expect(both.differing).toEqual([])
      expect(both.count).toBeGreaterThanOrEqual(Math.floor(count / secondEvery))
      expect(count).toBeGreaterThan(3 * eventCount)
    },
  )

  test('cut after any line, and each line left out or written twice, whether or not the end line fits', async () => {
    const text = (await written(copy())).toString()
    const lines = text.split(/(?<=\n)/)
    const missed: string[] = []
    // Cutting alone is cheap; what is whole up to its end costs a verification.
    const step = isCampaign ? 1 : 7
    for (let at = 0; at < lines.length; at++) {
      const cut = lines.slice(0, at).join('')
      if ((await verify(Buffer.from(cut))).verdict !== 'unreadable') missed.push(`cut at ${at}`)
      if (at % step !== 0) continue
      for (const [what, changed] of [
        ['without', [...lines.slice(0, at), ...lines.slice(at + 1)]],
        ['twice', [...lines.slice(0, at + 1), ...lines.slice(at)]],
      ] as const) {
        const whole = changed.join('')
        const isEnd = at === lines.length - 1
        const texts = isEnd ? [whole] : [whole, repaired(whole)]
        for (const one of texts) {
          const { verdict } = await verify(Buffer.from(one))
          if (verdict !== 'unreadable' && verdict !== 'forged') missed.push(`${what} line ${at}: ${verdict}`)
        }
      }
    }
    expect(missed).toEqual([])
  })

  test('each checkpoint without its cosignature, without its signature, by another key, or left out', async () => {
    const stranger = signerOf(origin, 99)
    for (const [at, { note, consistency }] of honest.checkpoints.entries()) {
      const { size } = log.sealed[at]!
      const replaced = checkpointNote({ origin, size, root: log.rootAt(size) }, stranger, 1)
      const [one, two] = note.signatures
      for (const signatures of [[one!], [two!], [two!, one!], replaced.signatures, [replaced.signatures[0]!, two!]]) {
        const draft = copy()
        draft.checkpoints[at] = { note: { ...note, signatures }, consistency, tokens: [] }
        const { verdict } = await verify(await written(draft))
        const isLast = at === honest.checkpoints.length - 1
        expect(['forged', ...(isLast ? ['unverifiable'] : [])]).toContain(verdict)
      }
      const draft = copy()
      draft.checkpoints.splice(at, 1)
      // Without the first, the second has a proof from nothing; without the last, the leaves have another root.
      if (at === 0) draft.checkpoints[0] = { ...draft.checkpoints[0]!, consistency: [] }
      const { verdict } = await verify(await written(draft))
      expect(verdict).toBe(at === 0 ? 'proven' : 'forged')
    }
  })

  test('threat 21: parts of two honest bundles of one log, of before and after, are refused where they do not fit', async () => {
    const older = reference()
    const before = (await older.bundle(runsOf(older))).toString()
    for (let number = 0; number < 3; number++) older.append('run/c', 'StepCompleted', '{}')
    older.append('governance', 'Noted', '{}')
    older.seal()
    const after = (await older.bundle(runsOf(older))).toString()
    const parts = (text: string) => [
      text.indexOf('\nstream run/a'),
      text.indexOf('\nleaves '),
      text.indexOf('\ncheckpoints '),
    ]
    const cut = (text: string, from: number, to: number) =>
      text.slice([0, ...parts(text)][from], [...parts(text), undefined][to])
    const verdicts: Record<string, string> = {}
    for (let mask = 1; mask < 15; mask++) {
      const mixed = [0, 1, 2, 3].map((part) => cut(mask & (1 << part) ? after : before, part, part)).join('')
      const { verdict } = await verify(Buffer.from(repaired(mixed)))
      verdicts[mask.toString(2).padStart(4, '0')] = verdict
    }
    // Newer events under an older seal are honest: what is beyond it is listed as not sealed.
    const harmless = ['0001', '0010', '0011']
    expect(
      Object.entries(verdicts)
        .filter(([, verdict]) => verdict === 'proven')
        .map(([mask]) => mask),
    ).toEqual(harmless)
    expect(new Set(Object.values(verdicts))).toEqual(new Set(['proven', 'forged']))
  })
})

describe('R-G2 R-G5 what a bundle alone cannot show', () => {
  test('a genuine older state is proven, and a checkpoint that the auditor kept shows that it is older', async () => {
    const older = reference()
    const state = await older.bundle(runsOf(older))
    older.append('run/c', 'StepCompleted', '{}')
    const later = kept(older.seal())
    expect((await verify(state)).verdict).toBe('proven')
    const report = await verify(state, later)
    expect([report.verdict, report.checks.find(({ name }) => name === 'consistency')?.result]).toEqual([
      'forged',
      'failed',
    ])
  })

  test('an operator who writes everything anew is proven, and a checkpoint that the auditor kept shows it', async () => {
    const before = kept(reference().sealed[0]!)
    const anew = new Log()
    anew.run('a', 5)
    anew.run('b', 5)
    anew.seal()
    const bytes = await anew.bundle(['a'])
    expect((await verify(bytes)).verdict).toBe('proven')
    expect((await verify(bytes, before)).verdict).toBe('forged')
  })

  test('a run that is cut to an earlier leaf is proven up to there, and the report says that no file shows more', async () => {
    const draft = copy()
    const run = draft.streams.find(({ name }) => name === 'run/a')!
    const [first] = draft.leaves.filter(({ stream }) => stream === 'run/a')
    run.events = run.events.slice(0, first!.seq + 1)
    draft.leaves = draft.leaves.filter((leaf) => leaf.stream !== 'run/a' || leaf === first)
    const report = await verify(await written(draft))
    expect(report).toMatchObject({
      verdict: 'proven',
      runs: [{ run: 'a', sealedSeq: first!.seq, ended: undefined }, {}, {}],
    })
    expect(report.notProven.join(' ')).toContain('That a run did not go on after the last leaf')
  })

  test('what follows the last checkpoint can be cut, and is called not sealed while it is there', async () => {
    const open = reference()
    open.append('run/c', 'StepCompleted', '{}')
    const whole = await verify(await open.bundle(['c']))
    expect(whole.verdict).toBe('proven')
    expect(whole.notProven.join(' ')).toContain('is not sealed')
    const draft = open.draft(['c'])
    draft.streams[1]!.events.pop()
    expect((await verify(await written(draft))).notProven.join(' ')).not.toContain('is not sealed')
  })
})

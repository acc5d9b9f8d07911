import { describe, expect, test } from 'vitest'
import { isCampaign, keep } from '../../../constancia/test/processes/campaign.js'
import { verifyBundle, webCrypto } from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { Both } from '../second-verifier/both.js'
import { keyText, runsOf } from './cases/case.js'
import { erasedBody } from './cases/erased.js'
import { journals, logOf } from './journal.js'
import { beginMs, chunks, kept, Log, origin, signerOf, without, written } from './log.js'

const logCount = isCampaign ? 1_000 : 200

/** Numbers that look random and follow from a seed (mulberry32). */
function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** What an operator might do: runs that take turns, rotations, sealings at any time, processes that know more or less. */
function randomLog(random: (below: number) => number): Log {
  const log = new Log()
  let keyCount = 1
  const epochs = new Map<string, number>()
  const ended = new Set<string>()
  for (let step = 0; step < 5 + random(30); step++) {
    const id = `r${random(4)}`
    const stream = `run/${id}`
    const begun = log.streams.get(stream)?.length ?? 0
    const what = random(12)
    if (what === 0) log.seal()
    else if (what === 1) log.rotate(++keyCount)
    else if (what === 2) log.append('governance', 'Noted', `{"step":${step}}`)
    else if (!ended.has(id)) {
      epochs.set(id, (epochs.get(id) ?? 1) + (random(5) === 0 ? 1 : 0))
      const ends = begun > 0 && random(8) === 0
      if (ends) ended.add(id)
      const kind = begun === 0 ? 'FlowStarted' : ends ? 'FlowFailed' : 'StepCompleted'
      const body = begun === 0 ? '{"flow":"f","version":1,"actor":null,"contract":null}' : `{"op":"${begun}"}`
      const stale = random(6) === 0 ? { seen: '-/-' } : {}
      const data = random(3) === 0 ? {} : { data: `"${'é'.repeat(random(40))}"` }
      log.append(stream, kind, body, { by: `claim:c-${epochs.get(id)}@${epochs.get(id)}`, ...stale, ...data })
    }
  }
  const first = { principal: 'root', role: 'administrator', untilMs: null, source: 'bootstrap' }
  log.append('governance', 'RoleGranted', JSON.stringify(first))
  const over = [...ended].map((id) => `run/${id}`)
  if (over.length > 0) log.append('governance', 'Erased', erasedBody(...over.map((name) => [name, 0, 99] as const)))
  log.seal()
  return log
}

describe('R-G4 T17 honest bundles', () => {
  test('R-G6 are proven by both verifiers, whatever has happened, with the first key alone and with any checkpoint that was kept', async () => {
    const both = new Both()
    let withRuns = 0
    for (let seed = 1; seed <= logCount; seed++) {
      const random = randomFrom(seed)
      const log = randomLog(random)
      const runs = runsOf(log).filter(() => random(3) > 0)
      if (runs.length > 0) withRuns += 1
      const interval = { kind: 'interval', fromMs: beginMs, toMs: beginMs + 86_400_000, count: runs.length } as const
      const draft = log.draft(runs, runs.length === 0 || random(2) === 0 ? interval : undefined)
      for (const { events } of draft.streams.slice(1)) {
        const hasEnded = events.at(-1)?.kind === 'FlowFailed'
        for (const [at, event] of events.entries())
          if (event.data !== undefined && random(4) === 0)
            events[at] = { ...event, data: without(event.data, random(2) === 0 || !hasEnded ? 'withheld' : 'erased') }
      }
      const earlier = kept(log.sealed[random(log.sealed.length)]!)
      const bytes = await written(draft)
      const source = chunks(bytes, 1 + random(5_000))
      const report = await verifyBundle(source, { crypto: nodeCrypto, keys: [keyText()], origin, earlier })
      both.add(`seed ${seed}`, bytes, { keys: [keyText()], earlier }, report)
      const failed = report.checks.filter(({ result }) => result !== 'passed')
      expect({ seed, verdict: report.verdict, failed }).toEqual({ seed, verdict: 'proven', failed: [] })
    }
    both.ask()
    expect([both.differing, both.count]).toEqual([[], logCount])
    keep('t17', {
      table: () => `T17: ${logCount} honest bundles, ${withRuns} of them with runs, no false alarm by either verifier`,
    })
    expect(withRuns).toBeGreaterThan(logCount / 2)
  })

  test('are read the same whatever the chunks are, and with the cryptography of a browser', async () => {
    const log = logOf(journals('paid'))
    const bytes = await log.bundle(['r'])
    const options = { keys: [keyText()], origin }
    const expected = await verifyBundle(chunks(bytes), { ...options, crypto: nodeCrypto })
    expect(expected.verdict).toBe('proven')
    for (const size of [1, 2, 63, 64, 65, 1_000])
      expect(await verifyBundle(chunks(bytes, size), { ...options, crypto: nodeCrypto })).toEqual(expected)
    expect(await verifyBundle(chunks(bytes), { ...options, crypto: webCrypto() })).toEqual(expected)
  })

  test('R-D1 R-E2 R-F3 a payment answers the four questions of an auditor in plain words', async () => {
    const log = logOf(journals('paid'))
    const report = await verifyBundle(chunks(await log.bundle(['r'])), {
      crypto: nodeCrypto,
      keys: [keyText()],
      origin,
    })
    const answers = report.runs[0]!.answers
    expect(answers.map(({ question, answer }) => [question, answer])).toEqual(
      ['approval', 'authority', 'actor', 'once'].map((question) => [question, 'yes']),
    )
    const text = answers.map((one) => one.text).join(' ')
    for (const part of [
      'tom said approve as treasurer at 2026-01-04 00:00:00 UTC. It was approved at 2026-01-04 00:00:00 UTC, 3 days later.',
      'bank.transfer (op 2) was authorised at 2026-01-04 00:00:00 UTC on the strength of the approval of op 1.',
      'bank.transfer (op 2) was authorised for ann as analyst',
      'bank.transfer (op 2): one attempt, completed once.',
    ])
      expect(text).toContain(part)
    expect(report.decisionCount).toBeGreaterThan(9)
  })
})

describe('C60 keys come and go', () => {
  const verify = async (log: Log, keys: readonly string[], runs = runsOf(log)) =>
    verifyBundle(chunks(await log.bundle(runs)), { crypto: nodeCrypto, keys, origin })

  test('a hundred events under one key, a hundred under the next: all count, also in the run that straddles the rotation', async () => {
    const log = new Log()
    log.run('old', 98)
    log.run('across', 2, { isOpen: true })
    log.seal()
    const [before] = await Promise.all([verify(log, [keyText(1)])])
    const kept1 = log.sealed.length
    log.rotate(2)
    for (let step = 0; step < 2; step++) log.append('run/across', 'StepCompleted', '{}')
    log.run('new', 98)
    log.seal()
    expect(before?.verdict).toBe('proven')
    expect(kept1).toBe(1)
    for (const keys of [[keyText(1)], [keyText(2)], [keyText(1), keyText(2)]]) {
      const report = await verify(log, keys)
      expect([report.verdict, report.seal?.key]).toEqual(['proven', keyText(2)])
    }
    // The history of keys is only ever added to.
    const kinds = log.streams.get('governance')!.map(({ kind }) => kind)
    expect(kinds).toEqual(['KeyAdded', 'KeyAdded', 'KeyRetired'])
  })

  test('who has another key than all of these is told that it cannot be verified, not that it was forged', async () => {
    const log = new Log()
    log.run('a', 3)
    log.seal()
    expect((await verify(log, [keyText(7)])).verdict).toBe('unverifiable')
    log.signer = signerOf(origin, 8)
    log.run('b', 3)
    log.seal()
    expect((await verify(log, [keyText(1)])).verdict).toBe('unverifiable')
  })

  test('what a retired key signs is refused, however early it says that it has signed', async () => {
    const log = new Log()
    log.run('a', 3)
    log.seal()
    const retired = log.signer
    log.rotate(2)
    log.signer = retired
    log.seal(Math.floor(beginMs / 1_000) - 1_000)
    const report = await verify(log, [keyText(1)])
    expect([report.verdict, report.checks.find(({ name }) => name === 'checkpoints')?.result]).toEqual([
      'forged',
      'failed',
    ])
  })

  test('a stolen key counts up to the last good checkpoint, and not beyond', async () => {
    const steal = (lastGood: (size: number) => number) => {
      const log = new Log()
      log.run('a', 3)
      const { size } = log.seal()
      const body = { key: keyText(1), lastGoodSize: lastGood(size) }
      log.append('governance', 'KeyCompromised', JSON.stringify(body), { by: 'system:evidence' })
      return log
    }
    expect(
      (
        await verify(
          steal((size) => size),
          [keyText(1)],
        )
      ).verdict,
    ).toBe('proven')
    expect(
      (
        await verify(
          steal((size) => size - 1),
          [keyText(1)],
        )
      ).verdict,
    ).toBe('forged')
  })
})

import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert'
import { emptyHead, runStream, type StoredEvent, verifyChain } from '../../journal/index.js'
import type { Claim } from '../../store/index.js'
import { type Cases, completed, headAfter, idOf, leaseMs, started, stepped } from './world.js'

/** What `create`, `append` and `read` promise. */
export const journalCases: Cases = {
  'R-A1 a created run has its first events, a verified chain, and is ready': async (world) => {
    const created = await world.create('r1')
    ok(created.kind === 'created')
    deepStrictEqual(await world.read('r1'), plain(created.events))
    verify('r1', await world.read('r1'))
    const row = await world.row('r1')
    const { status, outcome, flow, version, actor, epoch, claim, signalCount, readSignalCount } = row
    deepStrictEqual(
      { status, outcome, flow, version, actor, epoch, claim, signalCount, readSignalCount },
      {
        status: 'ready',
        outcome: 'open',
        flow: 'invoice',
        version: 1,
        actor: 'ann',
        epoch: 0,
        claim: undefined,
        signalCount: 0,
        readSignalCount: 0,
      },
    )
    deepStrictEqual(row.head, headAfter(created.events))
    strictEqual(row.startedAtMs, world.given.nowMs())
    strictEqual(row.endedAtMs, undefined)
  },

  'creating a run twice changes nothing and returns what is there': async (world) => {
    await world.create('r1')
    const before = await world.read('r1')
    const again = await world.create('r1', [started('other', 9)])
    ok(again.kind === 'exists')
    strictEqual(again.row.flow, 'invoice')
    deepStrictEqual(await world.read('r1'), before)
  },

  'two creations of one run at once make one run': async (world) => {
    const kinds = (await Promise.all([world.create('r1'), world.create('r1')])).map(({ kind }) => kind)
    deepStrictEqual(kinds.sort(), ['created', 'exists'])
    await world.expectKinds('r1', ['FlowStarted'])
  },

  'a run that is created with its end is never due': async (world) => {
    await world.create('r1', [started(), completed])
    strictEqual((await world.row('r1')).status, 'completed')
    deepStrictEqual(await world.claim(), [])
  },

  'R-A1 an append adds its events in order, and what is there already stays as it was': async (world) => {
    const claim = await world.owned('r1')
    const [first] = await world.read('r1')
    const events = await world.appended(claim, [stepped('0'), stepped('1')])
    const all = await world.read('r1')
    deepStrictEqual(all, [first, ...plain(events)])
    deepStrictEqual(
      all.map(({ seq }) => seq),
      [0, 1, 2],
    )
    verify('r1', all)
    deepStrictEqual((await world.row('r1')).head, headAfter(events))
  },

  'an event names the claim that wrote it, and what was seen': async (world) => {
    const claim = await world.owned('r1')
    const outcome = await world.append(claim, [stepped('0')], { seen: '3:ab/2:cd' })
    ok(outcome.kind === 'appended')
    const [, event] = await world.read('r1')
    strictEqual(event?.by, `claim:${claim.id}@${claim.epoch}`)
    strictEqual(event?.seen, '3:ab/2:cd')
    strictEqual(event?.at, world.given.nowMs())
  },

  'an append at a head that is not the last event is a head_conflict, by sequence': async (world) => {
    const claim = await world.owned('r1')
    const events = await world.appended(claim, [stepped('0')])
    deepStrictEqual(await world.append(claim, [stepped('1')]), { kind: 'head_conflict', head: headAfter(events) })
    await world.expectKinds('r1', ['FlowStarted', 'StepCompleted'])
  },

  'an append at a head with another hash is a head_conflict, even with the right sequence': async (world) => {
    const claim = await world.owned('r1')
    const head = { ...claim.head, hash: '0'.repeat(64) }
    deepStrictEqual(await world.append(claim, [stepped('0')], { head }), { kind: 'head_conflict', head: claim.head })
    await world.expectKinds('r1', ['FlowStarted'])
  },

  'appends of many runs at once all succeed': async (world) => {
    for (let index = 0; index < 40; index++) await world.create(`r${index}`)
    const claims = await world.claim(40)
    const outcomes = await Promise.all(claims.map((claim) => world.append(claim, [stepped('0')])))
    deepStrictEqual(new Set(outcomes.map(({ kind }) => kind)), new Set(['appended']))
    for (const claim of claims) verify(claim.run, await world.read(claim.run))
  },

  'of two appends at one head one succeeds, and the other does no harm to those beside it': async (world) => {
    const claim = await world.owned('r1')
    const other = await world.owned('r2')
    const outcomes = await Promise.all([
      world.append(claim, [stepped('0')]),
      world.append(claim, [stepped('0')]),
      world.append(other, [stepped('0')]),
    ])
    deepStrictEqual(
      outcomes.map(({ kind }) => kind),
      ['appended', 'head_conflict', 'appended'],
    )
  },

  'R-C3 of appends of many runs at once each is stored or refused for its own reason': async (world) => {
    const [late, gone] = [await world.owned('late'), await world.owned('gone')]
    await world.given.advance(leaseMs)
    const claims = [await world.claimOne()]
    await world.claimOne() // Whose run it is now writes nothing: only the claim of before is wrong with what comes.
    for (let index = 0; index < 4; index++) claims.push(await world.owned(`r${index}`))
    const [sound, another, moved, ended, behind] = claims as [Claim, Claim, Claim, Claim, Claim]
    await world.signal(moved.run, 'd1', await world.given.another())
    await world.appended(ended, [completed])
    const unknown = { ...sound, run: idOf('never') }
    const wrong = { ...behind.head, hash: '0'.repeat(64) }
    const asked = [sound, moved, late, another, ended, unknown, gone].map((claim) =>
      world.append(claim, [stepped('0')]),
    )
    const outcomes = await Promise.all([...asked, world.append(behind, [stepped('0')], { head: wrong })])
    deepStrictEqual(
      outcomes.map(({ kind }) => kind),
      ['appended', 'head_conflict', 'claim_lost', 'appended', 'run_ended', 'claim_lost', 'claim_lost', 'head_conflict'],
    )
    await world.expectKinds('late', ['FlowStarted', 'StepCompleted'])
    await world.expectKinds('gone', ['FlowStarted'])
    await world.expectKinds('r1', ['FlowStarted', 'SignalReceived'])
    verify(another.run, await world.read(another.run))
    await world.appended(behind, [stepped('0')])
  },

  'an append with an event that cannot follow stores none of its events, and others beside it succeed': async (
    world,
  ) => {
    const [before, claim, after] = [await world.owned('r1'), await world.owned('r2'), await world.owned('r3')]
    const sound = world.append(before, [stepped('0')])
    const broken = world.append(claim, [stepped('0'), completed, stepped('1')])
    const alsoSound = world.append(after, [stepped('0')])
    await rejects(broken, { name: 'InvariantError' })
    deepStrictEqual([(await sound).kind, (await alsoSound).kind], ['appended', 'appended'])
    await world.expectKinds('r1', ['FlowStarted', 'StepCompleted'])
    await world.expectKinds('r2', ['FlowStarted'])
    await world.appended(claim, [stepped('0')])
  },

  'what is asked for at once about one run happens in that order': async (world) => {
    const created = world.create('r1')
    const again = world.create('r1')
    const facts = world.signal('r1', 'd1')
    deepStrictEqual([(await created).kind, (await again).kind, (await facts).run?.head.seq], ['created', 'exists', 0])
    const claim = await world.claimOne()
    const appended = world.append(claim, [stepped('0')])
    const later = world.signal('r1', 'd2')
    const suspended = world.suspend(claim, undefined)
    strictEqual((await appended).kind, 'appended')
    deepStrictEqual([(await later).run?.head.seq, await suspended], [2, false])
    await world.expectKinds('r1', ['FlowStarted', 'SignalReceived', 'StepCompleted', 'SignalReceived'])
    verify('r1', await world.read('r1'))
  },

  'the end of a run takes away its claim and its due time, in the same append': async (world) => {
    const claim = await world.owned('r1')
    await world.appended(claim, [stepped('0'), completed])
    const { status, outcome, claim: left, endedAtMs } = await world.row('r1')
    deepStrictEqual({ status, outcome, left }, { status: 'completed', outcome: 'completed', left: undefined })
    strictEqual(endedAtMs, world.given.nowMs())
    await world.given.advance(1_000_000)
    deepStrictEqual(await world.claim(), [])
  },

  'R-A1 nothing is appended to a run that has ended': async (world) => {
    const claim = await world.owned('r1')
    const events = await world.appended(claim, [completed])
    deepStrictEqual(await world.append(claim, [stepped('0')], { head: headAfter(events) }), { kind: 'run_ended' })
    await world.expectKinds('r1', ['FlowStarted', 'FlowCompleted'])
  },

  'an append to a run that does not exist is refused': async (world) => {
    const claim = await world.owned('r1')
    deepStrictEqual(await world.append({ ...claim, run: idOf('r2') }, [stepped('0')]), { kind: 'claim_lost' })
  },

  'an append keeps how many signals its flow has read': async (world) => {
    const claim = await world.owned('r1')
    await world.append(claim, [stepped('0')], { readSignalCount: 3 })
    strictEqual((await world.row('r1')).readSignalCount, 3)
  },

  'reading is in order, from a place, up to a count; an unknown stream is empty': async (world) => {
    const claim = await world.owned('r1')
    await world.appended(claim, [stepped('0'), stepped('1'), stepped('2')])
    const read = async (fromSeq?: number, limit?: number) =>
      (
        await world.store.read(runStream(idOf('r1')), {
          ...(fromSeq === undefined ? {} : { fromSeq }),
          ...(limit === undefined ? {} : { limit }),
        })
      ).map(({ seq }) => seq)
    deepStrictEqual(await read(), [0, 1, 2, 3])
    deepStrictEqual(await read(2), [2, 3])
    deepStrictEqual(await read(1, 2), [1, 2])
    deepStrictEqual(await read(4), [])
    deepStrictEqual(await world.read('nobody'), [])
  },

  'R-B10 texts come back exactly as they were written': async (world) => {
    const claim = await world.owned('r1')
    const texts = [
      '"\\u0000\\ud800"',
      '"é 漢 🎉 \u2028"',
      '{ "b":1,  "a":2 }\n',
      '1.0',
      `"${'x'.repeat(1_000_000)}"`,
      '""',
    ]
    const drafts = texts.map((text) => ({ kind: 'StepCompleted', body: text, data: text }))
    await world.appended(claim, drafts)
    const events = (await world.read('r1')).slice(1)
    deepStrictEqual(
      events.map(({ body, data }) => [body, data]),
      texts.map((text) => [text, text]),
    )
    verify('r1', await world.read('r1'))
  },

  'R-B10 a text that the database could not keep is refused, never cut': async (world) => {
    const claim = await world.owned('r1')
    for (const text of ['a\0b', 'a\ud800b']) {
      await rejects(world.append(claim, [{ kind: 'StepCompleted', body: '{}', data: text }]), {
        name: 'InvariantError',
      })
      await rejects(world.append(claim, [{ kind: 'StepCompleted', body: text, data: undefined }]), {
        name: 'InvariantError',
      })
    }
    await world.expectKinds('r1', ['FlowStarted'])
  },

  'an event without data comes back without data': async (world) => {
    const claim = await world.owned('r1')
    await world.appended(claim, [{ kind: 'TimerFired', body: '{"op":"0"}', data: undefined }])
    const [, event] = await world.read('r1')
    deepStrictEqual([event?.data, event?.dataSalt, event?.dataCommit], [undefined, undefined, undefined])
    verify('r1', await world.read('r1'))
  },

  'no event is dated before the one before it, whatever the clock says': async (world) => {
    const claim = await world.owned('r1')
    const events = await world.appended(claim, [stepped('0')])
    await world.given.advance(-60_000)
    const [later] = await world.appended(claim, [stepped('1')], headAfter(events))
    strictEqual(later?.at, events[0]?.at)
    verify('r1', await world.read('r1'))
  },

  'every text has a salt of its own': async (world) => {
    const claim = await world.owned('r1')
    await world.appended(
      claim,
      Array.from({ length: 300 }, (_, index) => stepped(String(index))),
    )
    const events = await world.read('r1')
    const salts = events.flatMap(({ bodySalt, dataSalt }) =>
      [bodySalt, dataSalt ?? bodySalt].map((salt) => Buffer.from(salt).toString('hex')),
    )
    strictEqual(new Set(salts).size, 602)
  },
}

function verify(run: string, events: readonly StoredEvent[]): void {
  const stream = runStream(idOf(run))
  deepStrictEqual(verifyChain(stream, emptyHead(stream), events), headAfter(events))
}

// Salts may be a subclass of Uint8Array in one place and not in another.
function plain(events: readonly StoredEvent[]): StoredEvent[] {
  return events.map((event) => ({
    ...event,
    bodySalt: new Uint8Array(event.bodySalt),
    dataSalt: event.dataSalt === undefined ? undefined : new Uint8Array(event.dataSalt),
  }))
}

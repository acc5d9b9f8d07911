import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert'
import { createHash } from 'node:crypto'
import { nothingSeen, runStream, type StreamId } from '../../journal/index.js'
import type { Attestation, Grown, GrownHead, Leaf, Sealed, Sealing, Store } from '../../store/index.js'
import { granted, law, recorded } from './recording.js'
import { type Cases, completed, idOf, started, stepped, type World } from './world.js'

const limit = 1_000

/** What a sealing of these heads would be: what a store does not look at is made up. */
export function sealingOf({ size, heads, governance, cursor }: Grown, note = 'a note'): Sealing {
  ok(governance !== undefined, 'the governance stream was to have an event')
  const leaves = [...heads, governance]
  const hashes = createHash('sha256').update(JSON.stringify(leaves)).digest()
  // One hash for each leaf; tiles of the first level alone.
  const tiles = [{ level: 0, index: size, hashes: new Uint8Array(hashes) }]
  const after = size + leaves.length
  const root = hashes.toString('hex')
  return { size, heads: leaves, tiles, cursor, checkpoint: { size: after, root, note: `${note} ${after}`, atMs: 5 } }
}

/** Seals what has grown. */
export async function sealAll(store: Store, note?: string): Promise<Sealing> {
  const sealing = sealingOf(await store.log.grown(limit), note)
  deepStrictEqual(await store.log.seal(sealing), { kind: 'sealed' })
  return sealing
}

function namesOf(heads: readonly Pick<GrownHead, 'stream' | 'seq'>[]): string[] {
  return heads.map(({ stream, seq }) => `${stream} ${seq}`).sort()
}

async function grownNames(store: Store): Promise<string[]> {
  return namesOf((await store.log.grown(limit)).heads)
}

async function purge(world: World, runs: readonly string[]): Promise<void> {
  deepStrictEqual((await world.store.purge({ runs: runs.map(idOf), by: 'principal:bob' })).purged.length, runs.length)
}

/** What `Store.log` promises. */
export const logCases: Cases = {
  'a log is empty until somebody seals, and what has grown is every stream': async (world) => {
    const { log } = world.store
    deepStrictEqual(await log.state(), { size: 0, checkpoint: undefined })
    deepStrictEqual(await grownNames(world.store), [])
    strictEqual((await log.grown(limit)).governance, undefined)
    await world.create('r1')
    await world.create('r2', [started(), completed])
    await recorded(world, [granted('ann')], { stream: 'refusals' as StreamId })
    const [, second] = await recorded(world, [granted('bob'), granted('cid')])
    const grown = await log.grown(limit)
    deepStrictEqual(namesOf(grown.heads), ['refusals 0', 'run/r1 0', 'run/r2 1'])
    strictEqual(grown.governance?.seq, 1)
    strictEqual(grown.governance.hash, second?.hash)
    deepStrictEqual([grown.size, grown.hasMore, grown.hasGovernanceGrown], [0, false, true])
    const [r2] = await world.store.read(runStream(idOf('r2')), { fromSeq: 1 })
    strictEqual(grown.heads.find(({ stream }) => stream === 'run/r2')?.hash, r2?.hash)
    deepStrictEqual(await log.leaves({ from: 0, limit }), [])
  },

  'R-G2 R-G3 once it was sealed, what has grown is what came since, whoever wrote it; of governance its end is always told':
    async (world) => {
      await recorded(world, [granted('ann')])
      const claim = await world.owned('r1')
      await world.create('quiet')
      const sealing = await sealAll(world.store)
      deepStrictEqual(await grownNames(world.store), [])
      const quiet = await world.store.log.grown(limit)
      deepStrictEqual(
        [quiet.size, quiet.governance?.seq, quiet.hasGovernanceGrown],
        [sealing.checkpoint.size, 0, false],
      )
      const other = await world.given.another()
      const [, last] = await world.appended(claim, [stepped('0'), stepped('1')])
      await world.create('r2', [started()], other)
      deepStrictEqual(await grownNames(world.store), ['run/r1 2', 'run/r2 0'])
      deepStrictEqual(await grownNames(other), ['run/r1 2', 'run/r2 0'])
      await recorded(world, [granted('bob')], { store: other })
      strictEqual((await world.store.log.grown(limit)).hasGovernanceGrown, true)
      const next = await sealAll(other)
      const leaves = await world.store.log.leaves({ from: next.size, limit })
      deepStrictEqual(namesOf(leaves), ['governance 1', 'run/r1 2', 'run/r2 0'])
      strictEqual(leaves.find(({ stream }) => stream === 'run/r1')?.hash, last?.hash)
      strictEqual(leaves.at(-1)?.stream, law)
      const again = await world.given.reopen()
      deepStrictEqual(await grownNames(again), [])
    },

  'R-G2 leaves, tiles and checkpoints are read as they were sealed': async (world) => {
    const { log } = world.store
    await recorded(world, [granted('ann')])
    const claim = await world.owned('r1')
    const one = await sealAll(world.store)
    await world.appended(claim, [stepped('0')])
    const other = await sealAll(world.store)
    const all = [...one.heads, ...other.heads].map(
      ({ stream, seq, hash }, index): Leaf => ({ index, stream, seq, hash }),
    )
    deepStrictEqual(await log.leaves({ from: 0, limit }), all)
    deepStrictEqual(await log.leaves({ from: 1, limit: 2 }), all.slice(1, 3))
    const ofRun = all.filter(({ stream }) => stream === 'run/r1').reverse()
    strictEqual(ofRun.length, 2)
    deepStrictEqual(await log.leavesOf(runStream(idOf('r1')), { limit }), ofRun)
    deepStrictEqual(await log.leavesOf(runStream(idOf('r1')), { before: 2, limit }), ofRun.slice(1))
    deepStrictEqual(await log.leavesOf(runStream(idOf('r1')), { limit: 1 }), ofRun.slice(0, 1))
    deepStrictEqual(await log.leavesOf(runStream(idOf('nobody')), { limit }), [])
    const checkpoints = [one.checkpoint, other.checkpoint]
    deepStrictEqual(await log.checkpoints({ fromSize: 0, limit }), checkpoints)
    deepStrictEqual(await log.checkpoints({ fromSize: 3, limit }), checkpoints.slice(1))
    deepStrictEqual(await log.checkpoints({ fromSize: 0, limit: 1 }), checkpoints.slice(0, 1))
    deepStrictEqual(await log.checkpointUpTo(3), one.checkpoint)
    deepStrictEqual(await log.checkpointUpTo(1), undefined)
    deepStrictEqual(await log.state(), { size: 4, checkpoint: other.checkpoint })
    const [first, missing, second] = await log.tiles([
      { level: 0, index: 0 },
      { level: 7, index: 0 },
      { level: 0, index: 2 },
    ])
    deepStrictEqual([first, missing, second], [one.tiles[0]?.hashes, new Uint8Array(), other.tiles[0]?.hashes])
  },

  'R-G2 what others said of a checkpoint is kept beside it as they said it first, and never of one that is not there':
    async (world) => {
      const { log } = world.store
      await recorded(world, [granted('ann')])
      await sealAll(world.store)
      await world.create('r1')
      await sealAll(world.store)
      const all: Attestation[] = [
        { size: 1, kind: 'cosignature', by: 'Z', text: 'x' },
        { size: 1, kind: 'cosignature', by: 'a', text: 'y' },
        { size: 1, kind: 'token', by: 'B', text: 'z' },
        { size: 3, kind: 'cosignature', by: 'Z', text: 'x' },
      ]
      for (const one of [...all].reverse()) await log.attest(one)
      await (await world.given.another()).log.attest({ size: 1, kind: 'token', by: 'B', text: 'something else' })
      await log.attest({ size: 2, kind: 'cosignature', by: 'a', text: 'y' })
      deepStrictEqual(await log.attestations({ fromSize: 0, limit }), all)
      deepStrictEqual(await log.attestations({ fromSize: 2, limit }), all.slice(3))
      deepStrictEqual(await log.attestations({ fromSize: 0, limit: 2 }), all.slice(0, 2))
      deepStrictEqual(await log.attestationsUpTo({ size: 9, limit }), [...all].reverse())
      deepStrictEqual(await log.attestationsUpTo({ size: 2, limit: 1 }), [all[2]])
      deepStrictEqual(await (await world.given.reopen()).log.attestations({ fromSize: 0, limit }), all)
    },

  'R-G2 a tile grows, and never changes what it held': async (world) => {
    await recorded(world, [granted('ann')])
    const tileOf = (byte: number, length: number) => ({ level: 0, index: 0, hashes: new Uint8Array(length).fill(byte) })
    const sealed = async (tile: ReturnType<typeof tileOf>): Promise<Sealed> => {
      const grown = await world.store.log.grown(limit)
      return world.store.log.seal({ ...sealingOf(grown), tiles: [tile] })
    }
    await sealed(tileOf(1, 32))
    await sealed(tileOf(1, 96))
    await rejects(sealed(tileOf(2, 96)))
    await rejects(sealed(tileOf(1, 64)))
    deepStrictEqual(await world.store.log.tiles([{ level: 0, index: 0 }]), [new Uint8Array(96).fill(1)])
    deepStrictEqual((await world.store.log.state()).size, 2)
  },

  'R-G2 of two who seal at once one does nothing, and neither adds anything twice': async (world) => {
    await recorded(world, [granted('ann')])
    await world.create('r1')
    const other = await world.given.another()
    for (let round = 0; round < 5; round += 1) {
      await world.create(`more${round}`)
      const grown = await Promise.all([world.store, other].map((store) => store.log.grown(limit)))
      const sealings = grown.map((one, index) => sealingOf(one, `of ${index}`))
      const stores = [world.store, other]
      const answers = await Promise.all(sealings.map((one, index) => stores[index]?.log.seal(one)))
      deepStrictEqual(answers.map((answer) => answer?.kind).sort(), ['conflict', 'sealed'])
      const winner = sealings[answers.findIndex((answer) => answer?.kind === 'sealed')] as Sealing
      const { checkpoint } = winner
      ok(answers.some((answer) => answer?.kind === 'conflict' && answer.size === checkpoint.size))
      deepStrictEqual(await world.store.log.state(), { size: checkpoint.size, checkpoint })
      const leaves = await other.log.leaves({ from: winner.size, limit })
      deepStrictEqual(namesOf(leaves), namesOf(winner.heads))
    }
  },

  'R-G2 what is not the next sealing of a log is refused, and nothing of it is kept': async (world) => {
    await recorded(world, [granted('ann')])
    await world.create('r1')
    const { log } = world.store
    const sealing = sealingOf(await log.grown(limit))
    const { checkpoint } = sealing
    await rejects(log.seal({ ...sealing, checkpoint: { ...checkpoint, size: checkpoint.size + 1 } }))
    await rejects(log.seal({ ...sealing, heads: [...sealing.heads].reverse() }))
    deepStrictEqual(await log.seal({ ...sealing, size: 1, checkpoint: { ...checkpoint, size: 3 } }), {
      kind: 'conflict',
      size: 0,
    })
    deepStrictEqual(await log.state(), { size: 0, checkpoint: undefined })
    deepStrictEqual(await log.leaves({ from: 0, limit }), [])
    deepStrictEqual(await log.seal(sealing), { kind: 'sealed' })
  },

  'R-G2 where more has grown than is sealed at once, the rest follows, and nothing is left out': async (world) => {
    await recorded(world, [granted('ann')])
    const runs = Array.from({ length: 25 }, (_, index) => `r${String(index).padStart(2, '0')}`)
    for (const run of runs) await world.create(run)
    const found: string[] = []
    for (let round = 0; found.length < 26 && round < 40; round += 1) {
      const grown = await world.store.log.grown(4)
      found.push(...namesOf(grown.heads))
      deepStrictEqual(await world.store.log.seal(sealingOf(grown)), { kind: 'sealed' })
      // What comes in between is found as well.
      if (round === 0) await world.create('r99')
    }
    deepStrictEqual(
      found.sort(),
      [...runs, 'r99'].map((run) => `run/${run} 0`),
    )
    const { heads, hasMore } = await world.store.log.grown(4)
    deepStrictEqual([heads, hasMore], [[], false])
  },

  'R-G2 a journal that was purged before it was sealed has its end sealed all the same, and what was sealed stays':
    async (world) => {
      await recorded(world, [granted('ann')])
      await world.create('sealed', [started(), completed])
      await sealAll(world.store)
      await world.create('unsealed', [started(), stepped('0'), completed])
      const [, , end] = await world.store.read(runStream(idOf('unsealed')))
      await purge(world, ['sealed', 'unsealed'])
      const grown = await world.store.log.grown(limit)
      deepStrictEqual(namesOf(grown.heads), ['run/unsealed 2'])
      strictEqual(grown.heads[0]?.hash, end?.hash)
      await sealAll(world.store)
      deepStrictEqual(await grownNames(world.store), [])
      deepStrictEqual(namesOf(await world.store.log.leavesOf(runStream(idOf('sealed')), { limit })), ['run/sealed 1'])
      deepStrictEqual(namesOf(await world.store.log.leavesOf(runStream(idOf('unsealed')), { limit })), [
        'run/unsealed 2',
      ])
    },

  'R-G2 what is written after a purge is found, also where it was purged while somebody looked': async (world) => {
    await recorded(world, [granted('ann')])
    await world.create('first', [started(), completed])
    await world.create('last', [started(), ...Array.from({ length: 20 }, (_, op) => stepped(String(op))), completed])
    await sealAll(world.store)
    await purge(world, ['last'])
    await world.create('next', [started(), stepped('0')])
    deepStrictEqual(await grownNames(world.store), ['run/next 1'])
    await world.create('ended', [started(), stepped('0'), stepped('1'), completed])
    const looked = sealingOf(await world.store.log.grown(limit))
    await purge(world, ['ended'])
    await world.create('after', [started()])
    deepStrictEqual(await world.store.log.seal(looked), { kind: 'sealed' })
    deepStrictEqual(await grownNames(world.store), ['run/after 0'])
    await sealAll(world.store)
    deepStrictEqual(await grownNames(world.store), [])
  },

  'R-G2 a rebuild and a quarantine leave the log as it is': async (world) => {
    await recorded(world, [granted('ann')])
    await world.create('r1')
    await world.create('r2', [started(), completed])
    await sealAll(world.store)
    await world.create('r3')
    const before = [await world.store.log.state(), await world.store.log.leaves({ from: 0, limit })]
    await world.store.rebuild()
    await world.store.quarantine({ code: 'rolled_back', message: 'lost' })
    deepStrictEqual([await world.store.log.state(), await world.store.log.leaves({ from: 0, limit })], before)
    deepStrictEqual(await grownNames(world.store), ['run/r3 0'])
  },

  'streams and where they end are listed by their names, with those of which only the end is left': async (world) => {
    const claim = await world.owned('b')
    const [stepDone] = await world.appended(claim, [stepped('0')])
    await world.create('a', [started(), completed])
    await purge(world, ['a'])
    const [grant] = await recorded(world, [granted('ann')])
    const all = await world.store.log.streams({ limit })
    const told = all.map(({ stream, seq, isPurged }) => [stream, seq, isPurged])
    deepStrictEqual(told, [
      ['governance', 0, false],
      ['run/a', 1, true],
      ['run/b', 1, false],
    ])
    deepStrictEqual([all[0]?.hash, all[2]?.hash], [grant?.hash, stepDone?.hash])
    deepStrictEqual(await world.store.log.streams({ after: 'governance' as StreamId, limit: 1 }), all.slice(1, 2))
  },

  'runs that began in an interval are listed by their ids': async (world) => {
    const startMs = world.given.nowMs()
    for (const [index, run] of ['c', 'a', 'b', 'd'].entries()) {
      await world.create(run)
      if (index < 3) await world.given.advance(1_000)
    }
    const { log } = world.store
    const range = { fromMs: startMs, beforeMs: startMs + 3_000, limit }
    deepStrictEqual(await log.begun(range), ['a', 'b', 'c'])
    deepStrictEqual(await log.begun({ ...range, fromMs: startMs + 1_000 }), ['a', 'b'])
    deepStrictEqual(await log.begun({ ...range, after: idOf('a'), limit: 1 }), ['b'])
  },

  'the lease of a sealer is his until it is over, and then for whoever asks first': async (world) => {
    const { log } = world.store
    const other = await world.given.another()
    strictEqual(await log.lease('one', 1_000), true)
    strictEqual(await other.log.lease('other', 1_000), false)
    await world.given.advance(600)
    strictEqual(await log.lease('one', 1_000), true)
    await world.given.advance(600)
    strictEqual(await other.log.lease('other', 1_000), false)
    await world.given.advance(400)
    strictEqual(await other.log.lease('other', 1_000), true)
    strictEqual(await log.lease('one', 1_000), false)
  },

  'whatever is written through a handle that knows a checkpoint says so, and through others not': async (world) => {
    const other = await world.given.another()
    const root = 'ab'.repeat(32)
    const claim = await world.owned('r1')
    world.store.log.know({ size: 7, root })
    await world.create('r2')
    await world.appended(claim, [stepped('0')])
    await world.signal('r2', 'd1')
    const [grant] = await recorded(world, [granted('ann')])
    await world.create('r3', [started()], other)
    const seenOf = async (run: string): Promise<string[]> => (await world.read(run)).map(({ seen }) => seen)
    deepStrictEqual(await seenOf('r1'), [nothingSeen, `-/7:${root}`])
    deepStrictEqual(await seenOf('r2'), [`-/7:${root}`, `-/7:${root}`])
    deepStrictEqual(await seenOf('r3'), [nothingSeen])
    strictEqual(grant?.seen, `1:ab/7:${root}`)
    world.store.log.know({ size: 8, root })
    await world.create('r4')
    deepStrictEqual(await seenOf('r4'), [`-/8:${root}`])
  },
}

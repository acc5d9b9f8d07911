import { deepStrictEqual, ok, rejects, strictEqual } from 'node:assert'
import { randomUUID } from 'node:crypto'
import { type Draft, emptyHead, type Head, runStream, verifyChain } from '../../journal/index.js'
import type { Appended, Claim, DatabaseKind, Transactions, Within, WithinResult } from '../../store/index.js'
import { granted, law, recorded } from './recording.js'
import { type Cases, completed, forged, headAfter, idOf, signalled, stepped, type World } from './world.js'

type Tx = Transactions[DatabaseKind]
type Rows = readonly Record<string, unknown>[]
/** At once, or later: as the database has it. */
type Soon<T> = T | Promise<T>

/** What `Append.within` promises. A store without transactions refuses it. */
export const transactionCases: Cases = {
  'R-B6 what is done within an append is there with its events, or neither is': withNotes(async (world, notes) => {
    const claim = await world.owned('r1')
    const done = await append(world, { claim, within: notes.adds('a') })
    deepStrictEqual(kindsOf(done), ['StepCompleted', 'TimerFired'])
    deepStrictEqual(await notes.look(), ['a'])
    const stream = runStream(idOf('r1'))
    verifyChain(stream, emptyHead(stream), await world.read('r1'))
    const head = headOfAppended(done)
    const { head: stored } = await world.row('r1')
    deepStrictEqual(stored, head)
    await world.given.reopen()
    deepStrictEqual(await notes.look(await world.given.another()), ['a'])
  }),

  'R-B6 what is done within an append and fails is undone, and the events that say so are stored': withNotes(
    async (world, notes) => {
      const claim = await world.owned('r1')
      const oops = new Error('oops')
      const found: WithinResult[] = []
      const done = await append(world, { claim, within: notes.adds('a', { throws: oops, found }) })
      deepStrictEqual(kindsOf(done), ['StepCompleted', 'StepFailed'])
      deepStrictEqual(found.at(-1), { error: oops })
      deepStrictEqual(await notes.look(), [])
      const again = await append(world, { claim, head: headOfAppended(done), within: notes.adds('b') })
      deepStrictEqual(kindsOf(again), ['StepCompleted', 'TimerFired'])
      deepStrictEqual(await notes.look(), ['b'])
    },
  ),

  'R-B6 a statement that fails makes what is done within fail, and undoes what was written before it': withNotes(
    async (world, notes) => {
      const claim = await world.owned('r1')
      const done = await append(world, { claim, within: notes.adds('a', { sql: 'INSERT INTO nowhere VALUES (1)' }) })
      deepStrictEqual(kindsOf(done), ['StepCompleted', 'StepFailed'])
      deepStrictEqual(await notes.look(), [])
    },
  ),

  'R-C3 R-E11 nothing is done within an append whose claim, head or basis does not hold, or whose run has ended':
    withNotes(async (world, notes) => {
      const claim = await world.owned('r1')
      const basis = { stream: law, head: emptyHead(law) }
      await recorded(world, [granted('ann')])
      await world.signal('r1', 'd1')
      const { head } = await world.row('r1')
      const within = notes.adds('a')
      const lost = { ...claim, ...forged(claim, { epoch: claim.epoch + 1 }) }
      deepStrictEqual(await append(world, { claim: lost, head, within }), { kind: 'claim_lost' })
      deepStrictEqual(await append(world, { claim, within }), { kind: 'head_conflict', head })
      deepStrictEqual(await append(world, { claim, head, within, basis }), { kind: 'basis_moved' })
      await world.appended(claim, [completed], head)
      deepStrictEqual(await append(world, { claim, head, within }), { kind: 'run_ended' })
      strictEqual(notes.calls, 0)
      deepStrictEqual(await notes.look(), [])
    }),

  'R-C3 R-E11 what is done within an append is undone if its claim, head or basis does not hold any more': withNotes(
    async (world, notes) => {
      // Nobody comes in between where all of it happens at once.
      if (world.store.transactions === 'sqlite') return
      const other = await world.given.another()
      const claim = await world.owned('r1')
      const law0 = { stream: law, head: emptyHead(law) }
      const revoke = (): Promise<unknown> => recorded(world, [granted('ann')], { store: other })
      const moved = await append(world, { claim, basis: law0, within: notes.adds('a', { meanwhile: revoke }) })
      deepStrictEqual(moved, { kind: 'basis_moved' })
      const signal = (): Promise<unknown> => world.signal('r1', 'd1', other)
      const conflict = await append(world, { claim, within: notes.adds('b', { meanwhile: signal }) })
      const { head } = await world.row('r1')
      deepStrictEqual(conflict, { kind: 'head_conflict', head })
      const takeOver = async (): Promise<void> => {
        await world.given.advance(1_000)
        strictEqual((await world.claim(1, other)).length, 1)
      }
      const lost = await append(world, { claim, head, within: notes.adds('c', { meanwhile: takeOver }) })
      deepStrictEqual(lost, { kind: 'claim_lost' })
      strictEqual(notes.calls, 3)
      deepStrictEqual(await notes.look(), [])
      await world.expectKinds('r1', ['FlowStarted', 'SignalReceived'])
    },
  ),

  'of appends at once, what is done within one does not concern the others, whatever becomes of it': withNotes(
    async (world, notes) => {
      const runs = ['r1', 'r2', 'r3', 'r4', 'r5', 'r6']
      for (const run of runs) await world.create(run)
      const [one, two, three, four, five, six] = await world.claim(6)
      ok(one && two && three && four && five && six)
      const answers = await Promise.all([
        world.append(one, [stepped('0')]),
        append(world, { claim: two, within: notes.adds('a', { throws: new Error('oops') }) }),
        append(world, { claim: three, within: notes.adds('b') }),
        world.append(four, [stepped('0')]),
        append(world, { claim: { ...five, ...forged(five, { epoch: 9 }) }, within: notes.adds('c') }),
        append(world, { claim: six, within: notes.adds('d') }),
      ])
      deepStrictEqual(answers.map(kindsOf), [
        ['StepCompleted'],
        ['StepCompleted', 'StepFailed'],
        ['StepCompleted', 'TimerFired'],
        ['StepCompleted'],
        ['claim_lost'],
        ['StepCompleted', 'TimerFired'],
      ])
      deepStrictEqual(await notes.look(), ['b', 'd'])
      for (const { run, head } of [one, two, three, four, five, six]) {
        const events = await world.read(run)
        deepStrictEqual(verifyChain(runStream(run), emptyHead(runStream(run)), events), (await world.row(run)).head)
        deepStrictEqual(events[0]?.hash, head.hash)
      }
    },
  ),

  'what is done within an append neither begins nor ends a transaction, and nothing is done once it is over': withNotes(
    async (world, notes) => {
      const claim = await world.owned('r1')
      let { head } = claim
      const texts = ['COMMIT', 'commit;', ' /* */ ROLLBACK', '-- x\nBEGIN', ';COMMIT', 'SAVEPOINT a', 'RELEASE a']
      for (const sql of [...texts, '/* /* */ SELECT 1 */ COMMIT', 'INSERT INTO nowhere VALUES (1); COMMIT', '']) {
        const found: WithinResult[] = []
        const done = await append(world, { claim, head, within: notes.adds('a', { sql, found }) })
        deepStrictEqual(kindsOf(done), ['StepCompleted', 'StepFailed'], sql)
        head = headOfAppended(done)
      }
      const kept: Tx[] = []
      const done = await append(world, { claim, head, within: notes.adds('b', { kept }) })
      deepStrictEqual(kindsOf(done), ['StepCompleted', 'TimerFired'])
      const [tx] = kept
      ok(tx !== undefined)
      await rejects(async () => ask(tx, 'SELECT 1', []), { code: 'transaction_misused' })
      deepStrictEqual(await notes.look(), ['b'])
    },
  ),

  'an append that does something within has no successor': async (world) => {
    const claim = await world.owned('r1')
    const within: Within = { database: 'sqlite', run: () => 1, outcome: () => [] }
    const successor = { run: idOf('r1~r1'), drafts: [], by: 'system:continue', seen: '-/-' }
    await rejects(world.append(claim, [signalled('d1')], { within, successor }), { name: 'InvariantError' })
    await world.expectKinds('r1', ['FlowStarted'])
  },
}

interface Request {
  readonly claim: Claim
  readonly within: Within
  readonly head?: Head
  readonly basis?: { readonly stream: typeof law; readonly head: Head }
}

function append(world: World, { claim, ...rest }: Request): Promise<Appended> {
  return world.append(claim, [stepped('0')], rest)
}

function kindsOf(answer: Appended): readonly string[] {
  return answer.kind === 'appended' ? answer.events.map(({ kind }) => kind) : [answer.kind]
}

function headOfAppended(answer: Appended): Head {
  ok(answer.kind === 'appended')
  return headAfter(answer.events)
}

// Without transactions there is one promise: that it is refused.
function withNotes(check: (world: World, notes: Notes) => Promise<void>): Cases[string] {
  return async (world) => {
    const { transactions } = world.store
    if (transactions === 'none') return refuses(world)
    const notes = await Notes.on(world, transactions)
    try {
      await check(world, notes)
    } finally {
      await notes.drop()
    }
  }
}

async function refuses(world: World): Promise<void> {
  const claim = await world.owned('r1')
  let calls = 0
  const run = (): number => ++calls
  const within: Within = { database: 'sqlite', run, outcome: () => [stepped('1')] }
  await rejects(world.append(claim, [stepped('0')], { within }), { name: 'InvariantError' })
  strictEqual(calls, 0)
  await world.expectKinds('r1', ['FlowStarted'])
}

/** What else becomes of a note that is taken within an append. */
interface Turn {
  /** Executed after it. */
  readonly sql?: string
  /** Waited for after it. */
  readonly meanwhile?: () => Promise<unknown>
  /** Thrown in the end. */
  readonly throws?: Error
  /** Takes down what came of it. */
  readonly found?: WithinResult[]
  /** Takes down the transaction. */
  readonly kept?: Tx[]
}

/** A table of somebody else's in the same database. */
class Notes {
  calls = 0
  readonly #world: World
  readonly #database: DatabaseKind
  readonly #table = `notes_${randomUUID().replaceAll('-', '')}`

  private constructor(world: World, database: DatabaseKind) {
    this.#world = world
    this.#database = database
  }

  static async on(world: World, database: DatabaseKind): Promise<Notes> {
    const notes = new Notes(world, database)
    await notes.#within(`CREATE TABLE ${notes.#table} (text TEXT NOT NULL)`)
    return notes
  }

  /** Takes a note. */
  adds(text: string, { sql, meanwhile, throws: oops, found, kept }: Turn = {}): Within {
    const end = (): string => {
      if (oops !== undefined) throw oops
      return text
    }
    const run = (tx: Tx): Soon<unknown> => {
      this.calls += 1
      kept?.push(tx)
      const added = ask(tx, `INSERT INTO ${this.#table} (text) VALUES (?)`, [text])
      const said = after(added, () => (sql === undefined ? [] : ask(tx, sql, [])))
      return after(said, () => (meanwhile === undefined ? end() : meanwhile().then(end)))
    }
    const outcome = (result: WithinResult): readonly Draft[] => {
      found?.push(result)
      return ['error' in result ? failed : fired]
    }
    return { database: this.#database, run, outcome }
  }

  /** All of them. */
  async look(store = this.#world.store): Promise<readonly unknown[]> {
    const rows = await this.#within(`SELECT text FROM ${this.#table} ORDER BY text`, store)
    return rows.map(({ text }) => text)
  }

  /** Deletes the table. */
  async drop(): Promise<void> {
    await this.#within(`DROP TABLE ${this.#table}`, await this.#world.given.another())
  }

  async #within(sql: string, store = this.#world.store): Promise<Rows> {
    const run = `look-${randomUUID()}`
    await this.#world.create(run, undefined, store)
    const claims = await this.#world.claim(1_000, store)
    const claim = claims.find((one) => one.run === run)
    for (const one of claims) if (one !== claim) await store.release(one)
    ok(claim !== undefined)
    let rows: Rows = []
    const within: Within = {
      database: this.#database,
      run: (tx) => ask(tx, sql, []),
      outcome: (result) => {
        if ('error' in result) throw result.error
        rows = result.value as Rows
        return [completed]
      },
    }
    strictEqual((await this.#world.append(claim, [], { within, store })).kind, 'appended')
    return rows
  }
}

const fired: Draft = { kind: 'TimerFired', body: '{"op":"0"}', data: undefined }
const failed: Draft = { kind: 'StepFailed', body: '{"op":"0","name":"charge","attempt":1}', data: undefined }

function ask(tx: Tx, sql: string, values: readonly string[]): Soon<Rows> {
  if ('prepare' in tx) return tx.prepare(sql).all(...values) as Rows
  return tx.query<Record<string, unknown>>(sql.replace('?', '$1'), values).then(({ rows }) => rows)
}

function after<T, U>(value: Soon<T>, next: (value: T) => Soon<U>): Soon<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}

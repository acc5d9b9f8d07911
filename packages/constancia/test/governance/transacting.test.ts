import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { action, allow, flow, open, transactional } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { memory } from 'constancia/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { rejection } from '../engine/rig.js'
import { rawConnection } from '../store/raw.js'
import { book as ledgerBook } from './ledger.js'
import { bookingRules, tillContract, tillOf } from './till.js'
import { TillScene } from './till-scene.js'
import { describeTransacting } from './transacting.js'

describeTransacting('SQLite')

const common = { name: 'booking', version: 1, resume: { roles: ['analyst'] }, models: 'none' } as const

test('R-B6 an action in SQLite that returns a promise fails, once and for all, and writes nothing', async () => {
  const scene = new TillScene('SQLite')
  const { book } = tillOf('sqlite', scene.table, { booked: () => Promise.resolve() })
  const booking = flow({
    ...common,
    run: (ctx) => ctx.do(book, { cents: 5 }).catch(({ code }: { code: string }) => code),
  })
  await scene.begin([booking], tillContract([booking], bookingRules(book)))
  const run = await scene.start(booking)
  expect(await run.result()).toBe('transaction_not_synchronous')
  expect((await run.events()).filter(({ kind }) => kind.startsWith('Action')).map(({ kind }) => kind)).toEqual([
    'ActionAuthorized',
    'ActionFailed',
  ])
  expect(await scene.rows()).toEqual([])
})

test('a runtime whose store is not the database that an action is in does not open, and holds nothing', async () => {
  const scene = new TillScene('SQLite')
  const { book } = tillOf('postgres', scene.table)
  const booking = flow({ ...common, run: (ctx) => ctx.do(book, { cents: 5 }) })
  const contract = tillContract([booking], bookingRules(book))
  for (const store of [memory(), sqlite({ file: scene.rig.file })]) {
    const error = await rejection(open({ store, flows: [booking], contract }))
    expect(error).toMatchObject({ code: 'effect_unsupported' })
    expect(error.message).toMatch(/till\.book.*PostgreSQL.*(memory|SQLite).*constancia\/postgres/)
  }
})

test('R-F1 a contract says that an effect is in the database of the store, and not in which; one that makes no sense is refused', () => {
  const booking = flow({ ...common, run: async () => null })
  const digests = (['sqlite', 'postgres'] as const).map((database) => {
    const { declared, digest } = tillContract([booking], bookingRules(tillOf(database, 'a').book))
    expect(declared.actions[0]?.effect).toEqual({ protocol: 'transactional' })
    return digest
  })
  expect(digests[0]).toBe(digests[1])
  const odd = action({
    name: 'odd',
    input: z.object({}),
    effect: transactional('postgres'),
    timeoutMs: 20_001,
    find: () => ({ kind: 'not_done' }) as const,
    run: () => null,
  })
  expect(() => tillContract([booking], [allow(odd).to('analyst')])).toThrow(
    /20000 ms at most, and timeoutMs says 20001[\s\S]*never in doubt[\s\S]*leave find out/,
  )
})

test('R-B6 the ledger of the guide to governance is the code that is tested here, and books once', async () => {
  const guide = await readFile(join(import.meta.dirname, '../../../../docs/governance.md'), 'utf8')
  const tested = await readFile(join(import.meta.dirname, 'ledger.ts'), 'utf8')
  const [, shown = 'nothing'] = tested.split(/\/\/ <\/?guide>\n/)
  expect(guide).toContain(`\`\`\`ts\n${shown}\`\`\``)
  const scene = new TillScene('SQLite')
  const booking = flow({ ...common, run: (ctx) => ctx.do(ledgerBook, { account: 'a', cents: 5 }) })
  await scene.begin([booking], tillContract([booking], [allow(ledgerBook).to('analyst')]))
  const database = rawConnection(scene.rig.file)
  database.exec(
    'CREATE TABLE accounts (id TEXT, cents INTEGER); CREATE TABLE bookings (key TEXT, account TEXT, cents INTEGER)',
  )
  database.exec("INSERT INTO accounts VALUES ('a', 100)")
  expect(await (await scene.start(booking)).result()).toBeNull()
  expect(database.prepare('SELECT * FROM accounts').all()).toEqual([{ id: 'a', cents: 95 }])
  expect(database.prepare('SELECT * FROM bookings').all()).toEqual([{ key: 'r/0', account: 'a', cents: 5 }])
  database.close()
})

/** Actions whose effect is a row of a table in the database of the store: somebody else's table, which remembers nothing. */
import { type AttemptInfo, action, allow, type Contract, contract, type Rule, transactional } from 'constancia'
import type { PostgresTransaction } from 'constancia/postgres'
import type { SqliteTransaction } from 'constancia/sqlite'
import { z } from 'zod'

export type Database = 'sqlite' | 'postgres'

/** How many rows there are now, its own included. */
interface Booked {
  readonly count: number
}

/** What becomes of a booking besides. */
export interface Meddling {
  /** Called once its row is written, in the transaction; what it throws, or rejects with, the booking fails with. */
  booked: (key: string, attempt: AttemptInfo) => unknown
  /** What a booking gives instead. */
  gives: unknown
  situation: true | string
}

const input = z.object({ cents: z.number().int() })
const output = z.object({ count: z.number() })

const inSqlite = (table: string, tx: SqliteTransaction, values: readonly [string, number]): Booked => {
  tx.prepare(`INSERT INTO ${table} (key, cents) VALUES (?, ?)`).run(...values)
  return tx.prepare(`SELECT count(*) AS count FROM ${table} WHERE key = ?`).get(values[0]) as Booked
}

const inPostgres = async (table: string, tx: PostgresTransaction, values: readonly [string, number]) => {
  await tx.query(`INSERT INTO ${table} (key, cents) VALUES ($1, $2)`, values)
  const counted = await tx.query<Booked>(`SELECT count(*)::integer AS count FROM ${table} WHERE key = $1`, [values[0]])
  return counted.rows[0] as Booked
}

/** The statement that makes the table. */
export const tableOf = (table: string): string => `CREATE TABLE ${table} (key TEXT NOT NULL, cents INTEGER NOT NULL)`

/** An action that books, and one that takes back what was booked. */
export function tillOf(database: Database, table: string, meddling: Partial<Meddling> = {}) {
  const common = {
    name: 'till.book',
    input,
    output,
    retry: { attemptsMax: 3, delayMsFirst: 1_000, jitter: 0 },
    timeoutMs: 5_000,
    stillValid: () => meddling.situation ?? true,
  } as const
  const result = (booked: Booked): Booked => (meddling.gives === undefined ? booked : meddling.gives) as Booked
  const book =
    database === 'sqlite'
      ? action({
          ...common,
          effect: transactional('sqlite'),
          run: ({ cents }, attempt) => {
            const booked = inSqlite(table, attempt.tx, [attempt.key, cents])
            const more = meddling.booked?.(attempt.key, attempt)
            return more instanceof Promise ? more.then(() => result(booked)) : result(booked)
          },
        })
      : action({
          ...common,
          effect: transactional('postgres'),
          run: async ({ cents }, attempt) => {
            const booked = await inPostgres(table, attempt.tx, [attempt.key, cents])
            await meddling.booked?.(attempt.key, attempt)
            return result(booked)
          },
        })
  return { book, table }
}

/** A contract by which analysts book what flows book, up to 1,000 by themselves. */
export function tillContract(flows: Parameters<typeof contract>[0]['flows'], rules: readonly Rule[]): Contract {
  return contract({
    name: 'till',
    version: '1',
    roles: { analyst: 'books', treasurer: 'releases', chief: 'steps in' },
    flows,
    rules,
    templates: { 'resume-denied': 'You may no longer resume this.' },
  })
}

/** The rules that go with it. */
export const bookingRules = (book: ReturnType<typeof tillOf>['book']): readonly Rule[] => [
  allow(book).to('analyst').when('input.cents <= 1000'),
  allow(book)
    .to('analyst')
    .afterApproval({ roles: ['treasurer'], within: 86_400_000 }),
]

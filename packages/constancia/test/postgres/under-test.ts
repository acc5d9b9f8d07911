import { setTimeout } from 'node:timers/promises'
import { type PostgresOptions, postgres } from 'constancia/postgres'
import type { MovableUnderTest } from 'constancia/testing'
import type pg from 'pg'
import type { Store } from '../../dist/store/index.js'
import { scriptedClock } from '../store/scripted-clock.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'

const startMs = Date.UTC(2026, 0, 1)

/** An empty schema under test. Its clock is a number in a table, which the function that all statements ask reads. */
export async function underPostgres(options: PostgresOptions = {}): Promise<MovableUnderTest> {
  const url = await databaseUrl()
  const schema = newSchema()
  const clock = scriptedClock(startMs)
  const factory = postgres({ url, schema, ...options })
  const opened: Store[] = []
  const open = async (): Promise<Store> => {
    const store = await factory(partsOf(clock))
    opened.push(store)
    return store
  }
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((store) => store.close()))
  }
  const store = await open()
  const raw = await rawConnection(url)
  await scriptClock(raw, schema)
  return {
    store,
    another: open,
    openToMove: () => factory.openToMove(partsOf(clock)),
    reopen: () => closeAll().then(open),
    nowMs: () => clock.now(),
    advance: async (ms) => {
      // In steps, as the timers see it.
      await raw.query(`UPDATE "${schema}".scripted SET ms = ms + $1`, [ms])
      await clock.advance(ms)
    },
    pause: (ms) => setTimeout(ms),
    dispose: async () => {
      await closeAll()
      await raw.end()
      await dropSchema(schema, url)
    },
  }
}

/** From now on the clock of a schema stands still, at the beginning of 2026, but for what is added to `scripted.ms`. */
export async function scriptClock(raw: pg.Client, schema: string): Promise<void> {
  await raw.query(`
    CREATE TABLE "${schema}".scripted (ms bigint NOT NULL);
    INSERT INTO "${schema}".scripted VALUES (${startMs});
    CREATE OR REPLACE FUNCTION "${schema}".now_ms() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $body$
    BEGIN RETURN (SELECT s.ms FROM "${schema}".scripted AS s); END $body$`)
}

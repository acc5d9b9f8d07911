import { postgres } from 'constancia/postgres'
import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { draftOf, nothingSeen, parseRunId, runStream, type StreamId } from '../../dist/journal/index.js'
import { type Store, systemClock } from '../../dist/store/index.js'
import { partsOf } from '../store/stores.js'
import { databaseUrl, dropSchema, newSchema, rawConnection } from './database.js'
import { dropRole, grantsOf, makeRole } from './rights.js'

const started = draftOf('FlowStarted', { flow: 'f', version: 1, actor: null, contract: null, patches: [] }, '"Ada"')
const end = draftOf('FlowCompleted', {}, '"of Ada"')

let schema: string
let role: string
let owner: pg.Client
let url: string
let eraser: Store
let client: pg.Client

beforeAll(async () => {
  url = await databaseUrl()
  owner = await rawConnection(url)
})

afterAll(() => owner.end())

/** Whoever erases has the rights of a worker, and may delete data; nothing else. */
beforeEach(async () => {
  schema = newSchema()
  role = `${schema}_eraser`
  const store = await postgres({ url, schema, listen: false })(partsOf(systemClock))
  for (const [id, drafts] of Object.entries({ r1: [started, end], r2: [started, end], open: [started] }))
    await store.create({ run: parseRunId(id), drafts, by: 'system:test', seen: nothingSeen })
  await store.close()
  const eraserUrl = await makeRole(owner, url, role)
  await owner.query(grantsOf(schema, role))
  await owner.query(`GRANT DELETE ON "${schema}".event_data TO ${role}`)
  eraser = await postgres({ url: eraserUrl, schema, listen: false })(partsOf(systemClock))
  client = await rawConnection(eraserUrl)
  for (const one of [client, owner]) await one.query(`SET search_path = "${schema}"`)
})

afterEach(async () => {
  await Promise.all([eraser.close(), client.end()])
  await dropRole(owner, role)
  await dropSchema(schema)
})

function erase(...texts: readonly { stream: string; from: number; to: number }[]): ReturnType<Store['record']> {
  const drafts = [{ kind: 'Erased', body: JSON.stringify({ texts, principal: null }), data: undefined }]
  return eraser.record({
    stream: 'governance' as StreamId,
    head: undefined,
    drafts,
    by: 'principal:ada',
    seen: nothingSeen,
  })
}

const of = (run: string, to = 9) => ({ stream: `run/${run}`, from: 0, to })
const read = async (run: string) => (await eraser.read(runStream(parseRunId(run)))).map(({ data }) => data)

describe('R-G7 in PostgreSQL a role that may work and delete data', () => {
  test('erases, and cannot delete anything else, whatever it writes into governance', async () => {
    expect((await erase(of('r1', 0))).kind).toBe('recorded')
    expect(await read('r1')).toEqual([undefined, '"of Ada"'])
    const recorded = (kind: string, stream: string) => `
      INSERT INTO events (stream, seq, kind, body, body_salt, at, by, seen, hash)
      SELECT stream, seq + 1, '${kind}', '{"texts":[{"stream":"${stream}","from":0,"to":9}]}', body_salt, at, by, seen, hash
      FROM events WHERE stream = (SELECT no FROM streams WHERE name = 'governance') ORDER BY seq DESC LIMIT 1;`
    const dataOf = (run: string) =>
      `DELETE FROM event_data WHERE stream = (SELECT no FROM streams WHERE name = 'run/${run}')`
    const attacks = {
      'the rest of the run': dataOf('r1'),
      'another run': dataOf('r2'),
      everything: 'DELETE FROM event_data',
      'a run that goes on': `${recorded('Erased', 'run/open')} ${dataOf('open')}`,
      'what another kind names': `${recorded('Wiped', 'run/r2')} ${dataOf('r2')}`,
      'what was named before': `${recorded('Erased', 'run/r2')} ${recorded('RoleGranted', 'x')} ${dataOf('r2')}`,
    }
    for (const [name, sql] of Object.entries(attacks)) {
      const refused = await client.query(sql).then(
        () => 'nothing',
        (error: Error) => error.message,
      )
      expect([name, refused]).toEqual([name, expect.stringMatching(/append-only/)])
    }
    await expect(client.query(`${recorded('Erased', 'run/r2')} DELETE FROM events`)).rejects.toThrow(
      /permission denied/,
    )
    await expect(client.query('TRUNCATE event_data')).rejects.toThrow(/permission denied/)
    expect([await read('r1'), await read('r2'), await read('open')]).toEqual([
      [undefined, '"of Ada"'],
      ['"Ada"', '"of Ada"'],
      ['"Ada"'],
    ])
  })

  test('takes all or nothing: what stops it in the middle leaves every text, and no event', async () => {
    await owner.query(`
      CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stopped'; END $$;
      CREATE TRIGGER a_stop BEFORE DELETE ON event_data FOR EACH ROW WHEN (OLD.text = '"of Ada"' AND OLD.seq = 1) EXECUTE FUNCTION stop()`)
    await expect(erase(of('r1'), of('r2'))).rejects.toThrow(/stopped/)
    expect([await read('r1'), await read('r2')]).toEqual([
      ['"Ada"', '"of Ada"'],
      ['"Ada"', '"of Ada"'],
    ])
    expect(await eraser.read('governance' as StreamId)).toEqual([])
    await owner.query('DROP TRIGGER a_stop ON event_data')
    expect((await erase(of('r1'), of('r2'))).kind).toBe('recorded')
    expect([await read('r1'), await read('r2')]).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ])
  })

  test('without the right to delete data nothing is erased, and nothing recorded', async () => {
    await owner.query(`REVOKE DELETE ON event_data FROM ${role}`)
    await expect(erase(of('r1'))).rejects.toThrow(/permission denied/)
    expect([await read('r1'), await eraser.read('governance' as StreamId)]).toEqual([['"Ada"', '"of Ada"'], []])
  })
})

import { rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkCosignature, parseNote, utf8Of, verifierKeyOf } from '../../../verify/dist/index.js'
import { nodeCrypto } from '../../../verify/dist/node.js'
import { keyOf, type LogKey, newKey, signerOf } from '../../dist/evidence/log/index.js'
import { requestBytesMax, serveWitness, Witness, type WitnessEndpoint } from '../../dist/evidence/witness/index.js'
import type { WitnessState } from '../../dist/store/index.js'
import { makeWitnessFile, openWitnessFile } from '../../dist/store/sqlite/index.js'
import { rawConnection } from '../store/raw.js'
import { makeFolder } from '../store/stores.js'
import { keyOfLog, someHash, ToldLog, words } from './witness-log.js'

const origin = 'example.org/books'
const witnessName = 'auditor.example/w1'

let folder: string
let file: string
let nowMs: number
let state: WitnessState
let witness: Witness
let endpoint: WitnessEndpoint
let faults: unknown[]
let log: ToldLog
let mine: LogKey
const signer = signerOf(newKey(witnessName).signerKey)
const key = keyOf(witnessName, signer)

beforeEach(async () => {
  folder = makeFolder()
  file = join(folder, 'cosigned.db')
  nowMs = Date.UTC(2026, 0, 1)
  faults = []
  mine = keyOfLog(origin)
  log = new ToldLog(mine, words(40))
  makeWitnessFile(file)
  state = openWitnessFile(file)
  witness = await Witness.of({ key, signer, logs: [log.key], state, clock: { now: () => nowMs } })
  endpoint = await serveWitness(witness, { host: '127.0.0.1', port: 0, onFault: (error) => void faults.push(error) })
})

afterEach(async () => {
  await endpoint.close()
  state.close()
  rmSync(folder, { recursive: true, force: true })
  expect(faults).toEqual([])
})

interface Answer {
  readonly status: number
  readonly type: string | null
  readonly body: string
}

async function post(
  body: string | Uint8Array<ArrayBuffer>,
  path = '/add-checkpoint',
  method = 'POST',
): Promise<Answer> {
  const request = method === 'POST' ? { method, body } : { method }
  const answer = await fetch(endpoint.url + path, request)
  return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() }
}

/** When the witness says that it has cosigned a note; undefined where its line is none. */
async function cosignedAt(note: string, { status, body }: Answer): Promise<number | undefined> {
  expect(status).toBe(200)
  expect(body).toMatch(/^— [^\n]+\n$/)
  const parsed = parseNote(utf8Of(note.slice(0, note.lastIndexOf('\n\n') + 2) + body))
  if (parsed.kind === 'refused') throw new Error(parsed.why)
  return (await checkCosignature(nodeCrypto, parsed.note, key)).seconds
}

const conflict = (size: number): Answer => ({ status: 409, type: 'text/x.tlog.size', body: `${size}\n` })

describe('R-G2 a witness answers as C2SP tlog-witness says:', () => {
  test('200 with a timestamped cosignature for what goes on from what it cosigned, from nothing to the end', async () => {
    let before = 0
    for (const size of [1, 7, 8, 33, 40]) {
      nowMs += 61_000
      const answer = await post(await log.request(before, size))
      expect(await cosignedAt(await log.note(size), answer)).toBe(Math.floor(nowMs / 1_000))
      expect(state.last(origin)).toMatchObject({ size, root: log.rootOf(size), note: await log.note(size) })
      before = size
    }
    expect(state.contradictions()).toEqual([])
  })

  test('200 for the same once more, and its time never goes back', async () => {
    const first = await cosignedAt(await log.note(7), await post(await log.request(0, 7)))
    nowMs -= 3_600_000
    expect(await cosignedAt(await log.note(7), await post(await log.request(7, 7)))).toBe(first)
    expect(await cosignedAt(await log.note(9), await post(await log.request(7, 9)))).toBe(first)
  })

  test('400 for what is no request', async () => {
    const right = await log.request(3, 5)
    const note = await log.note(5)
    const many = Array.from({ length: 64 }, (_, i) => `${someHash(String(i))}\n`).join('')
    const wrong: Readonly<Record<string, string | Uint8Array<ArrayBuffer>>> = {
      nothing: '',
      'no empty line': right.replaceAll('\n\n', '\n'),
      'no old size': right.replace('old 3\n', ''),
      'an old size with a zero before it': right.replace('old 3', 'old 03'),
      'an old size that is none': right.replace('old 3', 'old -3'),
      'an old size beyond numbers': right.replace('old 3', 'old 9007199254740993'),
      'another word': right.replace('old 3', 'new 3'),
      'a hash that is too short': `old 3\nAAAA\n\n${note}`,
      'a hash in another alphabet': `old 3\n${someHash('a').replace(/.$/, '_')}\n\n${note}`,
      '64 hashes': `old 3\n${many}\n${note}`,
      'no note': 'old 3\n\nhello\n',
      'a note that is no checkpoint': `old 0\n\n${note.replace('\n5\n', '\nfive\n')}`,
      'a checkpoint with a further line': `old 0\n\n${note.replace('\n\n', '\nmore\n\n')}`,
      'an empty log': `old 0\n\n${note.replace('\n5\n', '\n0\n')}`,
      'bytes that are no text': Uint8Array.from([0x6f, 0xff, 0xfe]),
      'a greater old size than that of the checkpoint': await log
        .request(5, 5)
        .then((text) => text.replace('old 5', 'old 6')),
    }
    for (const [what, body] of Object.entries(wrong)) expect([what, (await post(body)).status]).toEqual([what, 400])
    expect(state.last(origin)).toBeUndefined()
  })

  test('a proof of 63 hashes is read', async () => {
    const proof = Array.from({ length: 63 }, (_, i) => someHash(String(i)))
    await post(await log.request(0, 5))
    expect((await post(await log.request(5, 9, { proof }))).status).toBe(422)
  })

  test('403 where no key that it knows has signed, or one of these is wrong', async () => {
    const other = keyOfLog(origin)
    expect((await post(await log.request(0, 5, { by: other }))).status).toBe(403)
    const note = await log.note(5)
    const bent = note.replace(/.{6}\n$/, (end) => `${end.startsWith('A') ? 'B' : 'A'}${end.slice(1)}`)
    expect(bent).not.toBe(note)
    expect((await post(`old 0\n\n${bent}`)).status).toBe(403)
    const line = (await log.note(5, other)).split('\n\n')[1]
    // Somebody else's line beside a right one says nothing.
    expect((await post(`old 0\n\n${note}${line}`)).status).toBe(200)
  })

  test('404 for a log that it does not know, and for every other path; 405 for what is no POST', async () => {
    const stranger = new ToldLog(keyOfLog('example.org/others'), words(9))
    expect((await post(await stranger.request(0, 5))).status).toBe(404)
    expect((await post(await log.request(0, 5), '/')).status).toBe(404)
    expect((await post(await log.request(0, 5), '/add-checkpoint/x')).status).toBe(404)
    expect((await post('', '/add-checkpoint', 'GET')).status).toBe(405)
    expect(state.all()).toEqual([])
  })

  test('409 with the size that it has cosigned, for any other old size', async () => {
    expect(await post(await log.request(3, 5))).toEqual(conflict(0))
    await post(await log.request(0, 20))
    for (const [before, size] of [
      [0, 20],
      [0, 30],
      [8, 30],
      [21, 30],
      [5, 5],
      [0, 7],
    ] as const)
      expect(await post(await log.request(before, size))).toEqual(conflict(20))
    expect(state.last(origin)?.size).toBe(20)
    expect(state.contradictions()).toEqual([])
  })

  test('409 for another root of the same size, which it keeps as proof against the log', async () => {
    await post(await log.request(0, 20))
    const fork = new ToldLog(mine, [...words(19), 'another'])
    expect(await post(await fork.request(20, 20))).toEqual(conflict(20))
    expect(await post(await fork.request(0, 20))).toEqual(conflict(20))
    expect(state.contradictions()).toEqual([
      { kind: 'fork', origin, size: 20, root: fork.rootOf(20), note: await fork.note(20), seconds: nowMs / 1_000 },
    ])
    expect(state.last(origin)?.root).toBe(log.rootOf(20))
  })

  test('422 where the proof fails, for a history that was forked before or cut: nothing is cosigned, and it is kept', async () => {
    await post(await log.request(0, 20))
    const fork = new ToldLog(mine, [...words(12), ...words(28, 'another')])
    const wrong: Readonly<Record<string, string>> = {
      'a fork with its own proof': await fork.request(20, 30),
      'a fork with the proof of the other one': await fork.request(20, 30, { proof: log.proof(20, 30) }),
      'no proof': await log.request(20, 30, { proof: [] }),
      'a proof between other sizes': await log.request(20, 30, { proof: log.proof(19, 30) }),
      'a proof with a hash too much': await log.request(20, 30, { proof: [...log.proof(20, 30), someHash('x')] }),
      'a proof for the same size': await log.request(20, 20, { proof: [someHash('x')] }),
    }
    for (const [what, body] of Object.entries(wrong)) expect([what, (await post(body)).status]).toEqual([what, 422])
    expect(state.last(origin)?.size).toBe(20)
    expect(new Set(state.contradictions().map(({ kind, size }) => `${kind} ${size}`))).toEqual(new Set(['unproven 30']))
    expect((await post(await log.request(20, 30))).status).toBe(200)
  })

  test('422 for a proof from nothing', async () => {
    expect((await post(await log.request(0, 5, { proof: [someHash('x')] }))).status).toBe(422)
    expect(state.all()).toEqual([])
  })

  test('413 for more than a request can be, and whoever leaves half way is no fault', async () => {
    expect((await post('o'.repeat(requestBytesMax + 1))).status).toBe(413)
    const { port } = new URL(endpoint.url)
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), '127.0.0.1', () => {
        socket.write('POST /add-checkpoint HTTP/1.1\r\nhost: w\r\ncontent-length: 100\r\n\r\nold', () =>
          socket.destroy(),
        )
      })
      socket.once('close', () => resolve())
    })
    expect((await post(await log.request(0, 5))).status).toBe(200)
  })
})

test('R-G2 of requests at once one goes on from where it was, and the witness never goes back, whatever their order', async () => {
  await post(await log.request(0, 10))
  const fork = new ToldLog(mine, [...words(10), ...words(30, 'another')])
  for (let round = 0; round < 10; round += 1) {
    const size = state.last(origin)?.size ?? 0
    const own = state.last(origin)?.root === log.rootOf(size) ? log : fork
    const sizes = [size + 1, size + 3, size + 2]
    const bodies = await Promise.all(sizes.map((next) => own.request(size, next)))
    // From size 10 on both histories go on rightly: of the two one is cosigned.
    if (round === 0) bodies.push(await fork.request(size, size + 2))
    const answers = await Promise.all(bodies.map((body) => post(body)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(bodies.length - 1)
    const last = state.last(origin)
    expect(last?.size).toBeGreaterThan(size)
    const won = answers.findIndex(({ status }) => status === 200)
    expect(bodies[won]).toContain(last?.note)
  }
})

describe('what a witness remembers', () => {
  test('is one process at a time, and is never made anew', async () => {
    expect(() => openWitnessFile(file)).toThrow(/Another process is the witness/)
    expect(() => makeWitnessFile(file)).toThrow(/must not forget/)
    expect(() => openWitnessFile(join(folder, 'gone.db'))).toThrow(/must not cosign again/)
    rawConnection(join(folder, 'other.db')).exec('CREATE TABLE logs (origin TEXT)')
    expect(() => openWitnessFile(join(folder, 'other.db'))).toThrow(/not the memory of a witness/)
  })

  test('does not go back, whoever writes it', async () => {
    await post(await log.request(0, 20))
    const raw = rawConnection(file)
    for (const sql of [
      'UPDATE logs SET size = 19',
      "UPDATE logs SET root = 'other'",
      'DELETE FROM logs',
      "UPDATE logs SET origin = 'other', size = 30",
    ])
      expect(() => raw.exec(sql), sql).toThrow(/never/)
    raw.close()
    expect(state.advance({ origin, size: 30, root: 'r', note: 'n', seconds: 1 }, 19)).toBe(false)
    expect(state.last(origin)?.size).toBe(20)
  })

  test('can be looked at meanwhile', async () => {
    await post(await log.request(0, 20))
    const look = openWitnessFile(file, { isLookOnly: true })
    expect(look.all()).toEqual(state.all())
    expect(() => look.advance({ origin, size: 30, root: 'r', note: 'n', seconds: 1 }, 20)).toThrow()
    look.close()
    expect((await post(await log.request(20, 21))).status).toBe(200)
  })
})

test('a witness refuses keys of logs that are none, and its own', async () => {
  const ownName = verifierKeyOf(nodeCrypto.sha256, witnessName, mine.key.publicKey)
  const ownKey = verifierKeyOf(nodeCrypto.sha256, origin, key.publicKey)
  for (const text of ['nothing', ownName.text, ownKey.text])
    await expect(Witness.of({ key, signer, logs: [text], state, clock: { now: () => 0 } })).rejects.toMatchObject({
      code: 'key_invalid',
    })
})

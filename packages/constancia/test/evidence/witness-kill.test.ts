import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keyOf, newKey, signerOf } from '../../dist/evidence/log/index.js'
import { Witness } from '../../dist/evidence/witness/index.js'
import { makeWitnessFile, openWitnessFile } from '../../dist/store/sqlite/index.js'
import { makeFolder } from '../store/stores.js'
import { keyOfLog, ToldLog, words } from './witness-log.js'

const origin = 'example.org/books'
const script = fileURLToPath(new URL('dying-witness.mjs', import.meta.url))

let folder: string
let file: string
const name = 'auditor.example/w1'
const { signerKey } = newKey(name)
const signer = signerOf(signerKey)
const witnessKey = keyOf(name, signer)
const mine = keyOfLog(origin)
const log = new ToldLog(mine, words(40))
const other = new ToldLog(mine, [...words(5), ...words(35, 'another')])
const children: ChildProcess[] = []

beforeEach(() => {
  folder = makeFolder()
  file = join(folder, 'cosigned.db')
  makeWitnessFile(file)
})

afterEach(async () => {
  for (const child of children.splice(0)) {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await ended
  }
  rmSync(folder, { recursive: true, force: true })
})

interface Running {
  readonly url: string
  readonly ended: Promise<unknown[]>
}

async function start(point = 'never', passes = 0): Promise<Running> {
  const child = fork(script, [file, signerKey.trim(), log.key, point, String(passes)], { stdio: 'pipe' })
  children.push(child)
  const ended = once(child, 'close')
  let said = ''
  child.stderr?.on('data', (text: Buffer) => {
    said += text.toString()
  })
  const message = await Promise.race([
    once(child, 'message').then(([told]) => told as { readonly url: string }),
    ended.then(() => undefined),
  ])
  if (message === undefined) throw new Error(said)
  return { url: message.url, ended }
}

/** The status of the answer; undefined where the process ended instead. */
async function ask(url: string, body: string): Promise<number | undefined> {
  return fetch(`${url}/add-checkpoint`, { method: 'POST', body }).then(
    ({ status }) => status,
    () => undefined,
  )
}

// The witness dies while it keeps the third checkpoint, at each point of that step.
describe('R-G2 T18 a witness that is killed while it keeps what it cosigns', () => {
  const points = { before: 20, begun: 20, written: 20, committed: 30 }
  test.each(Object.entries(points))(
    '%s: knows after it %i leaves, and never goes back or cosigns another history',
    async (point, size) => {
      const { url, ended } = await start(point, 2)
      expect(await ask(url, await log.request(0, 10))).toBe(200)
      expect(await ask(url, await log.request(10, 20))).toBe(200)
      expect(await ask(url, await log.request(20, 30))).toBeUndefined()
      expect((await ended)[1]).toBe('SIGKILL')

      const state = openWitnessFile(file)
      const witness = await Witness.of({ key: witnessKey, signer, logs: [log.key], state, clock: { now: Date.now } })
      const statusOf = async (body: string): Promise<number> => (await witness.add(Buffer.from(body))).status
      expect(state.last(origin)).toMatchObject({ size, root: log.rootOf(size), note: await log.note(size) })
      // What was acknowledged cannot be taken back, by whatever old size.
      for (const before of [0, 5, 10, 20, 30].filter((one) => one !== size))
        expect([before, await statusOf(await log.request(before, 35))]).toEqual([before, 409])
      expect(await statusOf(await other.request(size, 38))).toBe(422)
      expect(await statusOf(await other.request(size, size))).toBe(409)
      expect(await statusOf(await log.request(10, 15))).toBe(409)
      // The log that lost an answer goes on.
      expect(await statusOf(await log.request(size, 30))).toBe(200)
      expect(await statusOf(await log.request(30, 40))).toBe(200)
      expect(state.last(origin)?.size).toBe(40)
      state.close()
    },
  )

  test('leaves its memory to the next process, and to nobody while it lives', async () => {
    const { url, ended } = await start('committed', 0)
    await expect(start()).rejects.toThrow(/Another process is the witness/)
    expect(await ask(url, await log.request(0, 10))).toBeUndefined()
    await ended
    const again = await start()
    expect(await ask(again.url, await log.request(10, 20))).toBe(200)
  })
})

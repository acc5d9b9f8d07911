import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type KillTestOptions, killTest, type LedgerServer, startLedgerServer } from '../../dist/testing/index.js'
import { start } from '../store/processes.js'
import { makeFolder } from '../store/stores.js'
import { limitMs } from './campaign.js'

vi.setConfig({ testTimeout: limitMs })

const badFlows = new URL('./bad-flows.mjs', import.meta.url)
let folder: string
let ledger: LedgerServer
const tmpdirBefore = process.env['TMPDIR']

beforeAll(async () => {
  folder = makeFolder()
  process.env['TMPDIR'] = folder
  ledger = await startLedgerServer()
})

afterAll(async () => {
  if (tmpdirBefore === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = tmpdirBefore
  await ledger.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Processes of a kill test whose parent is this one. */
function childrenOf(parent: number): number[] {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')
  const fields = lines.map((line) => line.trim().split(/\s+/))
  return fields
    .filter(([, ppid, ...args]) => Number(ppid) === parent && args.join(' ').includes('kill-child'))
    .map(([pid]) => Number(pid))
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function failureOf(options: Omit<KillTestOptions, 'flows'> & { flows?: URL }): Promise<string> {
  const error: unknown = await killTest({ flows: badFlows, ...options }).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ name: 'AssertionError' })
  expect(childrenOf(process.pid)).toEqual([])
  expect(readdirSync(folder)).toEqual([])
  return (error as Error).message
}

describe('a kill test fails, and leaves neither a process nor a file behind, where', () => {
  test('an effect has another key each time', async () => {
    const starts = Array.from({ length: 10 }, (_, index) => ({
      flow: 'chosen-key',
      id: `r${index}`,
      input: ledger.url,
    }))
    const message = await failureOf({ starts, kills: 2, destination: ledger })
    expect(message).toMatch(/of key [0-9a-f-]{36} the destination has 'one' where it had nothing/)
    expect(message).toMatch(/^ {2}differences +[1-9]/m)
  })

  test('a run never ends', async () => {
    const message = await failureOf({ starts: [{ flow: 'endless', input: null }], kills: 1, patienceMs: 10_000 })
    expect(message).toMatch(/was not over after 10000 ms/)
    expect(message).toMatch(/run endless-0 has not ended: it is waiting for signal "nobody sends it"/)
  })

  test('a run returns something else than it should', async () => {
    const message = await failureOf({ starts: [{ flow: 'failing', input: null, output: 'done' }], kills: 1 })
    expect(message).toMatch(/run failing-0 returned undefined instead of 'done'/)
  })

  test('the module with the flows cannot be loaded', async () => {
    const flows = new URL('./no-such-module.mjs', import.meta.url)
    const message = await failureOf({ flows, starts: [{ flow: 'any', input: null }], kills: 1 })
    expect(message).toMatch(/ended by itself \(code 1\); its standard error:[\s\S]*no-such-module/)
  })
})

test('when the process of a kill test is ended by SIGKILL, its children end too', async () => {
  const own = makeFolder()
  const parent = start('../processes/killing.mjs', [own])
  try {
    let children: number[] = []
    while (children.length === 0) {
      await pause(20)
      children = childrenOf(parent.pid ?? 0)
    }
    parent.kill('SIGKILL')
    await once(parent, 'exit')
    for (const endMs = performance.now() + 120_000; children.some(isAlive) && performance.now() < endMs; )
      await pause(20)
    expect(children.filter(isAlive)).toEqual([])
  } finally {
    parent.kill('SIGKILL')
    rmSync(own, { recursive: true, force: true })
  }
})

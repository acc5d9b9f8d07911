import { writeFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { limitMs } from './campaign.js'
import { inScene, type Scene } from './scene.js'
import type { WorkerProcess } from './worker-process.js'

// Nobody waits for it here.
const options = { leaseMs: 3_600_000, pollMs: 100, concurrency: 2 }

// What it takes shows what it could have taken.
async function hasLooked(scene: Scene, worker: WorkerProcess): Promise<void> {
  const run = await scene.start('short', 'look', scene.ledger.url)
  const how = await Promise.race([run.result(), worker.gone])
  expect(how).toBe('look')
}

describe.runIf(process.platform === 'linux')('a worker that is started', () => {
  test.concurrent(
    'R-C2 after another ended by SIGKILL goes on with its runs at once, and that counts as a lost lease',
    inScene(async (scene) => {
      const run = await scene.start('held', 'r1', { ledger: scene.ledger.url, fenced: true })
      const first = await scene.worker('w1', { options })
      await first.until('began')
      await first.kill()
      expect(scene.marks).toHaveLength(1)
      const second = await scene.worker('w2', { options })
      expect(await second.until('began')).toMatchObject({ epoch: 2, attempt: 1 })
      expect(await run.row()).toMatchObject({ lostLeaseCount: 1, claim: { worker: 'w2' } })
      expect(scene.marks).toHaveLength(1)
      second.tell()
      expect(await run.result()).toEqual([2, 2])
      expect(await second.end()).toBe(0)
      expect(scene.marks).toEqual([])
    }),
    limitMs,
  )

  test.concurrent(
    'R-C2 C32 while another is stopped, or computes, takes nothing of it: it is not dead',
    inScene(async (scene) => {
      const held = await scene.start('held', 'held', { ledger: scene.ledger.url, fenced: true })
      const stopped = await scene.worker('stopped', { options: { ...options, concurrency: 1 } })
      await stopped.until('began')
      const enough = scene.path('enough')
      const computing = await scene.start('computing', 'computing', enough)
      const busy = await scene.worker('busy', { options: { ...options, concurrency: 1 } })
      await busy.until('began')
      await stopped.stop()
      busy.tell()
      await pause(200)
      const third = await scene.worker('w3', { options })
      await hasLooked(scene, third)
      expect(third.all('began').map(({ run }) => run)).toEqual(['look', 'look', 'look'])
      for (const run of [held, computing]) expect(await run.row()).toMatchObject({ epoch: 1, status: 'running' })
      writeFileSync(enough, '')
      stopped.goOn()
      stopped.tell()
      expect(await held.result()).toEqual([1, 1])
      expect(await computing.result()).toBe(1)
      expect(scene.marks).toHaveLength(3)
    }),
    limitMs,
  )

  test.concurrent(
    'R-B9 does not take at once what was lost twice in a row: its lease must run out',
    inScene(async (scene) => {
      const bad = await scene.start('deadly', 'bad', { way: 'killed', repaired: scene.path('repaired') })
      for (const name of ['w1', 'w2']) expect(await scene.launch(name, { options }).gone).toBe('SIGKILL')
      expect(await bad.row()).toMatchObject({ epoch: 2, lostLeaseCount: 1 })
      await hasLooked(scene, await scene.worker('w3', { options }))
      expect(await bad.row()).toMatchObject({ epoch: 2, lostLeaseCount: 1, status: 'running' })
    }),
    limitMs,
  )
})

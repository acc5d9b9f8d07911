import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { limitMs } from './campaign.js'
import { inScene, leaseMs } from './scene.js'
import { storeKinds } from './scene-store.js'

test.concurrent.for(storeKinds)(
  'R-C2 R-B9 on %s a step that holds its process up for good is given up after stallMs and no earlier, and another process finishes the run',
  { timeout: limitMs },
  (kind, context) =>
    inScene(async (scene) => {
      const repaired = scene.path('repaired')
      const stallMs = 1.5 * leaseMs
      const run = await scene.start('deadly', 'r1', { way: 'blocked', repaired })
      const first = await scene.worker('w1', { options: { stallMs } })
      await first.until('began')
      const beganMs = performance.now()
      writeFileSync(repaired, '')
      const second = await scene.worker('w2', { options: { pollMs: 100 } })
      expect(await run.result()).toBe('repaired')
      expect(performance.now() - beganMs).toBeGreaterThan(stallMs)
      expect(second.all('began')).toEqual([])
      expect(first.all('append')).toEqual([])
      const { epoch, lostLeaseCount } = await run.row()
      expect(epoch).toBe(2)
      expect(lostLeaseCount).toBe(1)
      expect(await scene.epochsOf('r1')).toEqual([2, 2])
    }, kind)(context),
)

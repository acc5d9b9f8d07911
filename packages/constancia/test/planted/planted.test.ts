import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bugsByLayer } from './bugs.js'
import { Workbench } from './workbench.js'

const bugs = bugsByLayer.flat()

describe('T26 planted bugs', () => {
  let bench: Workbench

  // One after the other in one copy of the packages: other test files keep the other processors busy.
  beforeAll(async () => {
    bench = await Workbench.open()
  }, 600_000)

  afterAll(() => bench.close(), 600_000)

  it('are at least twelve', () => {
    expect(bugs.length).toBeGreaterThanOrEqual(12)
  })

  it.each(bugs)('T26 is noticed: $breaks', { timeout: 600_000 }, async (bug) => {
    const found = await bench.plant(bug)
    expect(found.kind, 'output' in found ? found.output : '').toBe('noticed')
  })
})

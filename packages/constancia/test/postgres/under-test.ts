import { setTimeout } from 'node:timers/promises'
import type { MovableUnderTest } from 'constancia/testing'
import type { Store } from '../../dist/store/index.js'
import { scriptedClock } from '../store/scripted-clock.js'
import { partsOf } from '../store/stores.js'
import { startMs, takeSchema } from './used-schemas.js'

/**
 * An empty schema under test. Its clock is a number in a table, which the function that all statements ask reads. What a test
 * moves away is sealed, and of no use to the next one.
 */
export async function underPostgres(isReusable: boolean): Promise<MovableUnderTest> {
  const schema = await takeSchema('scripted')
  const clock = scriptedClock(startMs)
  const factory = schema.factory()
  const opened: Store[] = []
  const open = async (): Promise<Store> => {
    const store = await factory(partsOf(clock))
    opened.push(store)
    return store
  }
  const closeAll = async (): Promise<void> => {
    await Promise.all(opened.splice(0).map((store) => store.close()))
  }
  return {
    store: await open(),
    another: open,
    openToMove: () => factory.openToMove(partsOf(clock)),
    reopen: () => closeAll().then(open),
    nowMs: () => clock.now(),
    advance: async (ms) => {
      // In steps, as the timers see it.
      await schema.show(clock.now() + ms)
      await clock.advance(ms)
    },
    pause: (ms) => setTimeout(ms),
    dispose: async () => {
      await closeAll()
      await (isReusable ? schema.giveBack() : schema.drop())
    },
  }
}

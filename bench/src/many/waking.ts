import { open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { BareCommits } from '../bare.js'
import { storeAt, type Where } from '../where.js'
import { Apart } from './apart.js'
import type { OrderOf, Woken } from './orders.js'
import { parkedFlows, pause } from './parked.js'

// Of a clock that all processes of a machine share.
const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6

/**
 * Wakes runs of this process; milliseconds from each call of `signal` until the run's next step. After each a row is committed to
 * another file of the same disk.
 */
export async function wake({ file, bareFile, runs }: OrderOf<'wake'>): Promise<Woken> {
  const bare = await BareCommits.create(bareFile)
  const bareMs: number[] = []
  let woken: () => void = () => undefined
  const runtime = await open({
    store: sqlite({ file }),
    flows: Object.values(parkedFlows(() => woken())),
    log: () => undefined,
  })
  await pause(200)
  const latenciesMs: number[] = []
  for (const run of runs) {
    const arrival = new Promise<number>((resolve) => {
      woken = () => resolve(nowMs())
    })
    const sentMs = nowMs()
    await runtime.run(run).signal('go')
    latenciesMs.push((await arrival) - sentMs)
    await runtime.run(run).result() // The step and the end are commits of their own, which the next wake is not to wait for.
    await pause(10)
    bareMs.push(bare.commit())
    await pause(10)
  }
  bare.close()
  await runtime.close()
  return { latenciesMs, bareMs }
}

/** Works on runs and tells when each of them is awake. */
export async function serve({ where }: OrderOf<'serve'>, tell: (atMs: number) => void): Promise<() => Promise<void>> {
  const flows = Object.values(parkedFlows(() => tell(nowMs())))
  const runtime = await open({ store: storeAt(where), flows, log: () => undefined })
  await pause(200)
  tell(nowMs())
  return () => runtime.close()
}

/** The same as {@link wake}, where another process works on the runs. */
export async function wakeFromElsewhere(file: string, bareFile: string, runs: readonly string[]): Promise<Woken> {
  const bare = await BareCommits.create(bareFile)
  const bareMs: number[] = []
  const latenciesMs = await wakeElsewhere({ file }, runs, async () => {
    await pause(10)
    bareMs.push(bare.commit())
    await pause(10)
  })
  bare.close()
  return { latenciesMs, bareMs }
}

/** Wakes runs on which another process works; milliseconds as of {@link wake}. `between` is done after each. */
export async function wakeElsewhere(
  where: Where,
  runs: readonly string[],
  between: () => Promise<void>,
): Promise<number[]> {
  const server = new Apart<number>({ kind: 'serve', where })
  const runtime = await open({ store: storeAt(where), flows: [], worker: false, log: () => undefined })
  await server.next() // It is up.
  const latenciesMs: number[] = []
  for (const run of runs) {
    const sentMs = nowMs()
    await runtime.run(run).signal('go')
    latenciesMs.push((await server.next()) - sentMs)
    await runtime.run(run).result()
    await between()
  }
  await runtime.close()
  await server.end()
  return latenciesMs
}

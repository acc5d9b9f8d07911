import { fork } from 'node:child_process'
import { type FlowContext, flow, open, type StoreFactory } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { resultOf } from './advancing.js'

/** Where a long journal is, and how long it is. */
export interface Recording {
  readonly file: string
  readonly steps: number
}

/** Called each time that the flow has got as far as its journal goes. */
type Arrived = () => void

function longFlow(steps: number, arrived: Arrived): ReturnType<typeof flow<null, void>> {
  return flow<null, void>({
    name: 'long',
    version: 1,
    run: async (ctx: FlowContext): Promise<void> => {
      for (let index = 0; index < steps; index += 1) await ctx.step('work', () => resultOf(index))
      await ctx.step('pending', ({ signal }) => never(signal, arrived))
    },
  })
}

function never(signal: AbortSignal, arrived: Arrived): Promise<void> {
  arrived()
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

/** Makes the journal of a run that went through so many steps and is in the middle of the next one. */
export async function record(recording: Recording): Promise<void> {
  await resume(recording, async (runtime, long) => void (await runtime.start(long, null)))
}

/**
 * Resumes the run on a new handle and gives it back. Returns the milliseconds from when the worker has the claim, before
 * anything is read, until the flow is in the step that has no outcome.
 */
export async function replay(recording: Recording): Promise<number> {
  return resume(recording, () => Promise.resolve())
}

type Begin = (runtime: Awaited<ReturnType<typeof open>>, long: ReturnType<typeof longFlow>) => Promise<void>

async function resume({ file, steps }: Recording, begin: Begin): Promise<number> {
  let claimedMs = 0
  let arrivedMs = 0
  let arrived!: () => void
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const long = longFlow(steps, () => {
    arrivedMs = performance.now()
    arrived()
  })
  const store = noticing(sqlite({ file }), () => {
    claimedMs = performance.now()
  })
  const runtime = await open({ store, flows: [long], worker: { graceMs: 0 }, log: () => undefined })
  try {
    await begin(runtime, long)
    await arrival
    return arrivedMs - claimedMs
  } finally {
    await runtime.close()
  }
}

/** The same store, which tells when it has given claims away. */
function noticing(factory: StoreFactory, claimed: () => void): StoreFactory {
  return async (parts) => {
    const store = await factory(parts)
    const claim = store.claim.bind(store)
    store.claim = async (request) => {
      const answer = await claim(request)
      if (answer.claims.length > 0) claimed()
      return answer
    }
    return store
  }
}

const self = new URL(import.meta.url)

/** The same in a process of its own, which has compiled nothing yet: as after a crash. */
export function replayAfresh(recording: Recording): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = fork(self, [JSON.stringify(recording)], { execArgv: [] })
    let ms: number | undefined
    child.on('message', (message) => {
      ms = message as number
    })
    child.on('error', reject)
    child.on('exit', (code) => {
      if (ms === undefined)
        reject(new Error(`The process that was to replay ended with code ${String(code)} and no result.`))
      else resolve(ms)
    })
  })
}

if (process.send !== undefined && process.argv[1] === self.pathname) {
  process.send(await replay(JSON.parse(process.argv[2] ?? '') as Recording))
  process.disconnect()
}

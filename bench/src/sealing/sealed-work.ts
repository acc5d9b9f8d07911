import { generateKeyPairSync, sign } from 'node:crypto'
import { type FlowContext, flow, open, type Signer } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { resultOf } from '../advancing.js'
import type { OrderOf, Worked } from '../many/orders.js'

const origin = 'bench.example/log'
// As many at once as group commits carry well.
const concurrency = 256

/** Does the steps of runs, with or without somebody who seals them meanwhile; milliseconds of all threads of this process. */
export async function workSealed({ file, runs: runCount, steps, isSealed }: OrderOf<'seal'>): Promise<Worked> {
  const signer = new CountingSigner()
  const walk = flow({
    name: 'walk',
    version: 1,
    run: async (ctx: FlowContext): Promise<void> => {
      for (let index = 0; index < steps; index += 1) await ctx.step('work', () => resultOf(index))
    },
  })
  const runtime = await open({
    store: sqlite({ file }),
    flows: [walk],
    worker: { concurrency },
    log: () => undefined,
    ...(isSealed && { evidence: { origin, signer } }),
  })
  const before = process.cpuUsage()
  const runs = await Promise.all(Array.from({ length: runCount }, () => runtime.start(walk, null)))
  await Promise.all(runs.map((run) => run.result()))
  const { user, system } = process.cpuUsage(before)
  const checkpointCount = signer.count
  await runtime.close()
  return { cpuMs: (user + system) / 1000, checkpointCount }
}

class CountingSigner implements Signer {
  readonly publicKey: Uint8Array
  readonly #key = generateKeyPairSync('ed25519')
  count = 0

  constructor() {
    // The last 32 bytes of what surrounds an Ed25519 key.
    this.publicKey = this.#key.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32)
  }

  sign(message: Uint8Array): Uint8Array {
    this.count += 1
    return sign(null, message, this.#key.privateKey)
  }
}

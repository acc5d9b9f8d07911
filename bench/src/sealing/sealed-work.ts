import { generateKeyPairSync, sign } from 'node:crypto'
import { type FlowContext, flow, open, type Signer } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { resultOf } from '../advancing.js'
import type { OrderOf, Worked } from '../many/orders.js'

const origin = 'bench.example/log'
// As many at once as group commits carry well.
const concurrency = 256

/** Does some runs, then the same again whenever it is told to go on, with or without somebody who seals them meanwhile. */
export async function workSealed(
  { file, runs: runCount, steps, isSealed }: OrderOf<'seal'>,
  tell: (worked: Worked) => void,
): Promise<() => Promise<void>> {
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
  const work = async (): Promise<void> => {
    const runs = await Promise.all(Array.from({ length: runCount }, () => runtime.start(walk, null)))
    await Promise.all(runs.map((run) => run.result()))
  }
  await work() // Compiled by then, and with files that have something in them.
  const before = process.cpuUsage()
  const earlier = signer.count
  const report = (): void => {
    const { user, system } = process.cpuUsage(before)
    // A checkpoint takes two signatures.
    tell({ cpuMs: (user + system) / 1000, checkpointCount: (signer.count - earlier) / 2 })
  }
  process.on('message', (word) => {
    if (word === 'go') void work().then(report)
  })
  report()
  return () => runtime.close()
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

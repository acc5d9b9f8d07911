// @ts-check
// Flows whose steps end the process that executes them, or hold it up for good, until a file says that they are repaired.
import { existsSync } from 'node:fs'
import { flow } from 'constancia'

/** @typedef {'killed' | 'out of memory' | 'aborted' | 'stack overflow' | 'blocked'} Way */
/** @typedef {import('./worker-words.js').WorkerWord} WorkerWord */

/** @type {Readonly<Record<Way, () => void>>} */
const ways = {
  killed: () => void process.kill(process.pid, 'SIGKILL'),
  'out of memory': () => {
    for (const kept = []; ; ) kept.push(new Array(100_000).fill(kept.length))
  },
  aborted: () => process.abort(),
  // Fatal only where Node.js was told that its stack is larger than it is.
  'stack overflow': function deeper() {
    deeper()
    deeper()
  },
  blocked: () => {
    for (;;);
  },
}

/**
 * @param {object} host
 * @param {(word: WorkerWord) => void} host.tell
 * @param {() => Promise<unknown>} host.told
 */
export function deadlyFlowsFor({ tell, told }) {
  /** @param {string} run @param {import('constancia').AttemptInfo} info */
  const began = (run, { key, attempt, epoch }) => tell({ kind: 'began', run, key, attempt, epoch })

  const deadly = flow({
    name: 'deadly',
    version: 1,
    run: (ctx, /** @type {{ readonly way: Way, readonly repaired: string }} */ { way, repaired }) =>
      ctx.step('deadly', async (attempt) => {
        if (existsSync(repaired)) return 'repaired'
        began(ctx.runId, attempt)
        await new Promise((resolve) => setTimeout(resolve, 50)) // What was told must have left this process.
        ways[way]()
        return 'survived'
      }),
  })

  const long = flow({
    name: 'long',
    version: 1,
    run: (ctx) =>
      ctx.step('long', async (attempt) => {
        began(ctx.runId, attempt)
        await told()
        return attempt.epoch
      }),
  })

  return [deadly, long]
}

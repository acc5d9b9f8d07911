// @ts-check
// A short run that waits at a gate, a file that somebody makes once every worker is full, and tells the ledger who had it.
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { flow } from 'constancia'

/** @typedef {{ readonly ledger: string, readonly gate: string }} Input */

const gates = /** @type {Map<string, Promise<void>>} */ (new Map())

/** @param {string} path */
async function opened(path) {
  while (!existsSync(path)) await pause(20)
}

/**
 * @param {object} host
 * @param {(word: import('./worker-words.js').WorkerWord) => void} host.tell
 * @param {(url: string, attempt: { key: string, epoch?: number }, body: unknown) => Promise<unknown>} host.send
 * @param {string} host.worker
 */
export function sharedFlowFor({ tell, send, worker }) {
  return flow({
    name: 'shared',
    version: 1,
    run: async (ctx, /** @type {Input} */ { ledger, gate }) => {
      await ctx.step('take', async (attempt) => {
        if (!existsSync(gate)) {
          tell({ kind: 'began', run: ctx.runId, key: attempt.key, attempt: attempt.attempt, epoch: attempt.epoch })
          const waits = gates.get(gate) ?? opened(gate)
          gates.set(gate, waits)
          await waits
        }
        await send(ledger, attempt, worker)
      })
    },
  })
}

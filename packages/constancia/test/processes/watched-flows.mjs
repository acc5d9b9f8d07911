// @ts-check
// Flows of a worker process that tells what happens in their steps.
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { flow } from 'constancia'
import { send } from './destination.mjs'

/** @typedef {import('constancia').AttemptInfo} AttemptInfo */
/** @typedef {import('./worker-words.js').WorkerWord} WorkerWord */

/**
 * @param {object} host
 * @param {(word: WorkerWord) => void} host.tell
 * @param {() => Promise<unknown>} host.told
 * @param {boolean} host.areStepsHeld whether those of short runs wait to be told as well
 * @param {(url: string, attempt: { key: string, epoch?: number }, body: unknown) => Promise<unknown>} host.send
 */
export function flowsFor({ tell, told, send, areStepsHeld }) {
  /** @param {string} run @param {AttemptInfo} info */
  const began = (run, { key, attempt, epoch }) => tell({ kind: 'began', run, key, attempt, epoch })

  /** @param {string} run @param {AttemptInfo} info */
  const tellAbort = (run, { epoch, signal }) =>
    signal.addEventListener('abort', () => tell({ kind: 'aborted', run, epoch, code: signal.reason?.code }))

  // Its steps begin, and the first brings its effect about once the parent says so; the second ends once that is stored.
  const held = flow({
    name: 'held',
    version: 1,
    run: async (ctx, /** @type {{ readonly ledger: string, readonly fenced: boolean }} */ { ledger, fenced }) => {
      const charge = ctx.step('charge', async (attempt) => {
        began(ctx.runId, attempt)
        tellAbort(ctx.runId, attempt)
        await told()
        await send(ledger, fenced ? attempt : { key: attempt.key }, 'charge').then(
          () => tell({ kind: 'sent', run: ctx.runId, epoch: attempt.epoch, outcome: 'accepted' }),
          (/** @type {Error} */ error) => {
            tell({ kind: 'sent', run: ctx.runId, epoch: attempt.epoch, outcome: error.message })
            throw error
          },
        )
        return attempt.epoch
      })
      const stored = charge.catch(() => undefined)
      const watch = ctx.step('watch', async (attempt) => {
        tellAbort(ctx.runId, attempt)
        await told()
        await Promise.race([stored, once(attempt.signal, 'abort')])
        return attempt.epoch
      })
      return Promise.all([charge, watch])
    },
  })

  // Begins once the parent says so. Never waits for anything while it computes, so long or until there is a file: nothing
  // else in its process runs.
  const computing = flow({
    name: 'computing',
    version: 1,
    run: (ctx, /** @type {number | string} */ until) =>
      ctx.step('compute', async (attempt) => {
        began(ctx.runId, attempt)
        await told()
        const endMs = performance.now() + (typeof until === 'number' ? until : Infinity)
        while (performance.now() < endMs && !(typeof until === 'string' && existsSync(until)));
        return attempt.epoch
      }),
  })

  const short = flow({
    name: 'short',
    version: 1,
    run: async (ctx, /** @type {string} */ ledger) => {
      for (const what of ['one', 'two', 'three']) {
        await ctx.step(what, async (attempt) => {
          began(ctx.runId, attempt)
          if (areStepsHeld) await told()
          return send(ledger, attempt, what)
        })
      }
      return ctx.runId
    },
  })

  return [held, computing, short, rounds]
}

// Goes round until somebody says that it is enough, by making a file.
const rounds = flow({
  name: 'rounds',
  version: 1,
  retry: { attemptsMax: 3, delayMsFirst: 10 },
  run: async (
    ctx,
    /** @type {{ readonly ledger: string, readonly enough: string, readonly pauseMs: number }} */ input,
  ) => {
    for (let round = 0; ; round++) {
      const isLast = await ctx.step('round', async (attempt) => {
        await pause(input.pauseMs)
        await send(input.ledger, attempt, { run: ctx.runId, round })
        return existsSync(input.enough)
      })
      if (isLast) return round + 1
    }
  },
})

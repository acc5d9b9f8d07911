import type { FlowContext } from 'constancia'

/**
 * A context without a journal, for comparison: each step is simply executed. What an agent is that somebody wrote as a
 * script: the same code, but nothing is kept. There are no keys either: a key that is the same after a restart would have
 * to be remembered somewhere.
 */
export function withoutJournal(): FlowContext {
  const attempt = { key: '', attempt: 1, epoch: 0, signal: new AbortController().signal }
  const context: Pick<FlowContext, 'step' | 'map'> = {
    step: async (_name, run) => run(attempt),
    map: async (items, branch, { concurrency = items.length } = {}) => {
      const results: Awaited<ReturnType<typeof branch>>[] = []
      const queue = [...items.entries()]
      const lane = async (): Promise<void> => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          results[next[0]] = await branch(next[1], context as FlowContext, next[0])
        }
      }
      await Promise.all(Array.from({ length: concurrency }, lane))
      return results
    },
  }
  return context as FlowContext // The rest of it, waiting and signals, would need a journal; this flow uses none.
}

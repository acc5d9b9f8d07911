/**
 * Time as the story needs it: each process is born at a moment and lives in that moment. Nobody waits four days to see it, and
 * a lease runs out because the next process is born after its end. A program of yours needs nothing of this file.
 */
import type { StoreFactory } from 'constancia'
import { ScriptedClock } from 'constancia/testing'

/** What `open` takes to live in a moment: UTC milliseconds since 1970. */
export function livingAt(store: StoreFactory, atMs: number, onRefused: (why: string) => void = () => undefined) {
  return { store: watched(store, onRefused), parts: { clock: new ScriptedClock(atMs) } }
}

// The store's own heart beats in real time. And whoever writes without being the owner any more is to be seen.
function watched(store: StoreFactory, onRefused: (why: string) => void): StoreFactory {
  return async (parts) => {
    const opened = await store(parts)
    const append = opened.append.bind(opened)
    return Object.assign(opened, {
      heartbeat: () => ({ hold: () => undefined, drop: () => undefined, stop: async () => undefined }),
      append: async (request: Parameters<typeof append>[0]) => {
        const answer = await append(request)
        if (answer.kind === 'claim_lost' || answer.kind === 'run_ended') onRefused(answer.kind)
        return answer
      },
    })
  }
}

import type { Question, Reply } from './messages.js'
import { answer } from './verification.js'

/** What a worker has of itself. */
interface WorkerScope {
  onmessage: ((event: { readonly data: Question }) => void) | null
  postMessage(reply: Reply): void
}

/** Answers questions, in a worker: the same script as that of the page, started from its text. */
export function serve(scope: WorkerScope): void {
  scope.onmessage = ({ data }) => void answer(data, (reply) => scope.postMessage(reply))
}

/** Verifies files, one at a time, beside the page; in the page itself where a browser lets it have no worker. */
export class Verifying {
  readonly #script: string
  #worker: Worker | undefined
  #isBusy = false
  /** Counts the questions: what comes of one that was given up is not told any more. */
  #number = 0

  /** `script` is the text of the page's own script. */
  constructor(script: string) {
    this.#script = script
  }

  /** Asks, and gives up what was asked before. Tells the progress, and one answer. */
  ask(question: Question, tell: (reply: Reply) => void): void {
    this.stop()
    this.#isBusy = true
    const number = this.#number
    const tellStill = (reply: Reply): void => {
      if (number !== this.#number) return
      this.#isBusy = reply.kind === 'progress'
      tell(reply)
    }
    const worker = this.#started()
    if (worker === undefined) return void answer(question, tellStill)
    worker.onmessage = ({ data }: MessageEvent<Reply>) => tellStill(data)
    // Nothing in a worker rejects: an error is one of starting it.
    worker.onerror = (event) => {
      event.preventDefault()
      if (number === this.#number) void answer(question, tellStill)
    }
    worker.postMessage(question)
  }

  /** Gives up what was asked. Nothing is told of it any more. */
  stop(): void {
    this.#number += 1
    if (!this.#isBusy) return
    this.#isBusy = false
    this.#worker?.terminate()
    this.#worker = undefined
  }

  #started(): Worker | undefined {
    try {
      this.#worker ??= new Worker(trusted(URL.createObjectURL(new Blob([this.#script], { type: 'text/javascript' }))))
    } catch {
      // A browser that allows no worker here still verifies, only that the page stands still meanwhile.
    }
    return this.#worker
  }
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(): string }): { createScriptURL(url: string): string }
}

/** The page demands that what becomes a script is trusted by a policy: this one, which trusts nothing but the page's own script. */
function trusted(url: string): string {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes }
  policy ??= trustedTypes?.createPolicy('constancia', { createScriptURL: () => own })
  own = url
  return policy?.createScriptURL(url) ?? url
}
let own = ''
let policy: ReturnType<TrustedTypes['createPolicy']> | undefined

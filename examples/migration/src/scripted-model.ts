/** The model: scripted, so that the demo needs no network and gives the same answers each time, but slow and paid like one. */
import { setTimeout } from 'node:timers/promises'
import type { Edit } from './flow.js'
import { rewrite } from './rewrite.js'

/** What was asked of the model and what it cost. Like a real one it bills each call, also the same one twice. */
export interface ModelBill {
  readonly calls: number
  readonly tokens: number
  readonly callsPerFile: Readonly<Record<string, number>>
}

/** Answers questions and keeps the bill. */
export class ScriptedModel {
  #calls = 0
  #tokens = 0
  readonly #callsPerFile = new Map<string, number>()
  readonly #answers = new Map<string, Edit[]>()

  async ask({ file, text }: { file: string; text: string }): Promise<Edit[]> {
    this.#calls += 1
    this.#tokens += Math.ceil(text.length / 4) // About what a tokenizer makes of source code.
    this.#callsPerFile.set(file, (this.#callsPerFile.get(file) ?? 0) + 1)
    await setTimeout(3 + (text.length % 6))
    const answer = this.#answers.get(text) ?? rewrite(text)
    this.#answers.set(text, answer) // Spares the demo's time, not the bill: the call is paid all the same.
    return answer
  }

  get bill(): ModelBill {
    return { calls: this.#calls, tokens: this.#tokens, callsPerFile: Object.fromEntries(this.#callsPerFile) }
  }
}

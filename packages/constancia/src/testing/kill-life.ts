import { type ChildProcess, spawn } from 'node:child_process'
import { systemClock } from '../store/index.js'
import type { Fate, KillPlace } from './kill-plan.js'
import type { LifeOrder, LifeWord } from './kill-words.js'

/** How one life went. */
export type KillLifeEnd =
  /** By SIGKILL, at this place. */
  | { readonly kind: 'killed'; readonly place: KillPlace; readonly wasStopped: boolean }
  /** By itself, after all runs had ended. */
  | { readonly kind: 'ended'; readonly wasStopped: boolean }
  /** In a way that nobody meant. */
  | { readonly kind: 'failed'; readonly why: string }

/** What a life is made of. */
export interface KillLifeInput {
  /** URL of the module with the flows. */
  readonly flows: string
  /** URL of the module that opens stores; a SQLite file unless set. */
  readonly stores: string | undefined
  readonly order: LifeOrder
  readonly fate: Fate
  /** A life that is not over after so many milliseconds has failed. */
  readonly lifeMsMax: number
}

const errorTextMax = 4_000

// Whoever ends this process, even by an error that nobody catches: no child outlives it.
const children = new Set<ChildProcess>()
let isGuarding = false

/** One process of a kill test, from its start to its end. */
export class KillLife {
  readonly #input: KillLifeInput
  readonly #child: ChildProcess
  readonly #timers = new Set<() => void>()
  readonly over: Promise<KillLifeEnd>
  #errors = ''
  #wasStopped = false
  #hasEnded = false
  #failure: string | undefined

  constructor(input: KillLifeInput) {
    this.#input = input
    this.#child = startChild(input)
    this.#child.on('message', (word: LifeWord) => this.#hear(word))
    this.#child.stderr?.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + chunk.toString()).slice(-errorTextMax)
    })
    this.over = new Promise((resolve) => {
      this.#child.once('error', (error) =>
        resolve({ kind: 'failed', why: `it could not be started: ${error.message}` }),
      )
      this.#child.once('close', (code, signal) => resolve(this.#closed(code, signal)))
    })
    this.#child.send(input.order)
    this.#after(input.lifeMsMax, () => this.#giveUp())
  }

  /** Ends it now, without counting that. */
  end(): void {
    this.#failure ??= 'it was given up, because the test had failed'
    this.#child.kill('SIGKILL')
  }

  #hear(word: LifeWord): void {
    const { doom, stop } = this.#input.fate
    if (word.kind === 'ended') this.#end()
    if (word.kind === 'opens' && doom?.place === 'while it opens the file') this.#killAfter(doom.delayMs)
    if (word.kind !== 'claimed') return
    if (stop !== undefined) this.#after(stop.delayMs, () => this.#stop(stop.forMs))
    else if (doom?.kind === 'parent' && doom.place === 'at a random moment') this.#killAfter(doom.delayMs)
  }

  #end(): void {
    this.#hasEnded = true
    this.#child.kill('SIGKILL')
  }

  #stop(forMs: number): void {
    this.#wasStopped = this.#child.kill('SIGSTOP')
    this.#after(forMs, () => {
      this.#child.kill('SIGCONT')
      const { doom } = this.#input.fate
      if (doom?.kind === 'parent') this.#killAfter(doom.delayMs)
    })
  }

  #killAfter(delayMs: number): void {
    this.#after(delayMs, () => this.#child.kill('SIGKILL'))
  }

  #giveUp(): void {
    this.#failure ??= `it was not over after ${this.#input.lifeMsMax} ms`
    this.#child.kill('SIGKILL')
  }

  #after(delayMs: number, call: () => void): void {
    this.#timers.add(systemClock.after(delayMs, call))
  }

  #closed(code: number | null, signal: NodeJS.Signals | null): KillLifeEnd {
    for (const disarm of this.#timers) disarm()
    children.delete(this.#child)
    const { doom } = this.#input.fate
    if (this.#failure !== undefined) return { kind: 'failed', why: this.#failure + this.#shownErrors() }
    if (this.#hasEnded) return { kind: 'ended', wasStopped: this.#wasStopped }
    if (signal === 'SIGKILL' && doom !== undefined)
      return { kind: 'killed', place: doom.place, wasStopped: this.#wasStopped }
    return { kind: 'failed', why: `it ended by itself (${signal ?? `code ${code}`})${this.#shownErrors()}` }
  }

  #shownErrors(): string {
    return this.#errors === '' ? '' : `; its standard error:\n${this.#errors.trim()}`
  }
}

function startChild(input: KillLifeInput): ChildProcess {
  // Flags of this process (an inspector, a loader) are none of the child's.
  const args = ['--input-type=module', '--eval', programFor(input)]
  const child = spawn(process.execPath, args, { serialization: 'advanced', stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  if (!isGuarding) process.on('exit', endChildren)
  isGuarding = true
  children.add(child)
  return child
}

function programFor({ flows, stores }: KillLifeInput): string {
  const [child, own] = ['./kill-child.js', './kill-stores.js'].map((file) => new URL(file, import.meta.url).href)
  return [
    `import { liveAsChild } from ${JSON.stringify(child)}`,
    `import flows from ${JSON.stringify(flows)}`,
    stores === undefined
      ? `import { sqliteAt as storeAt } from ${JSON.stringify(own)}`
      : `import storeAt from ${JSON.stringify(stores)}`,
    'await liveAsChild(flows, storeAt)',
  ].join('\n')
}

function endChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}

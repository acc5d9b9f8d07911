import type { Doom } from './kill-plan.js'
import type { ScriptedSignal } from './script.js'

/** One run, as a process is told to start it. */
export interface StartOrder {
  readonly flow: string
  readonly input: unknown
  readonly id: string
  readonly signals: readonly ScriptedSignal[]
}

/** What a process of a kill test is told, once, right after it was forked. */
export interface LifeOrder {
  /** Where the store is. */
  readonly address: unknown
  /** Where all processes of a round keep their mark. */
  readonly mark: string
  /** Where it writes its diary. */
  readonly diary: string
  readonly starts: readonly StartOrder[]
  readonly leaseMs: number
  /** Runs in memory at once: so few that another worker always finds some. */
  readonly concurrency: number
  readonly doom: Doom | undefined
}

/** What a process tells its parent. Ended: every run has. */
export type LifeWord = { readonly kind: 'opens' } | { readonly kind: 'claimed' } | { readonly kind: 'ended' }

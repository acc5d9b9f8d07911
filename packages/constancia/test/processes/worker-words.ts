import type { WorkerOptions } from 'constancia'
import type { StoreAddress } from './scene-store.js'

/** What a worker process is told when it starts. */
export interface WorkerOrder {
  readonly store: StoreAddress
  readonly worker: Partial<WorkerOptions> & Pick<WorkerOptions, 'name' | 'leaseMs'>
  /** Whether it hears of nothing that others do: neither from its heartbeat nor from the store. */
  readonly isDeaf?: boolean
  /** Flows that it does not have. */
  readonly without?: readonly string[]
  /** Whether the steps of short runs wait, as others do, until the parent says something. */
  readonly areStepsHeld?: boolean
  /** Flags of Node.js. */
  readonly flags?: readonly string[]
}

/** What it tells. */
export type WorkerWord =
  | { readonly kind: 'ready'; readonly describe: string }
  | {
      readonly kind: 'began'
      readonly run: string
      readonly key: string
      readonly attempt: number
      readonly epoch: number
    }
  | { readonly kind: 'aborted'; readonly run: string; readonly epoch: number; readonly code: unknown }
  | { readonly kind: 'sent'; readonly run: string; readonly epoch: number; readonly outcome: string }
  | { readonly kind: 'append'; readonly answer: string; readonly run: string; readonly epoch: number }

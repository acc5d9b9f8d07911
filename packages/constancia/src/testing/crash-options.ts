import type { AnyFlow, Flow } from '../engine/index.js'
import type { Contract, GovernedRuntime } from '../governance/index.js'
import type { NewCrashDisk } from './crash-disk.js'
import type { Destination } from './ledger.js'
import type { ScriptedChange, ScriptedStater, ScriptedVote } from './people.js'
import type { AddressedSignal, ScriptedCancel } from './script.js'

/** What `crashTest` takes. */
export interface CrashTestOptions<Input> {
  readonly flow: Flow<Input, unknown>
  readonly input: Input
  /** Other flows that the process has: those of children, and those that a run continues as. */
  readonly flows?: readonly AnyFlow[]
  /** Signals to send, in this order. */
  readonly signals?: readonly AddressedSignal[]
  /** Cancels the run; every life that follows does so again. */
  readonly cancel?: ScriptedCancel
  /** As whom the run acts; whoever that is sends their next message where a run waits for it. */
  readonly actor?: string
  /** What governs the flow. Its histories are compared as if nobody had ever doubted what came of an effect. */
  readonly contract?: Contract
  /** Puts in force and grants what the run needs, before it is started. */
  readonly law?: (governance: GovernedRuntime['governance']) => Promise<unknown>
  /** Answers to approvals of the run and its children, in this order. */
  readonly votes?: readonly ScriptedVote[]
  /** Who settles doubts about effects of the run. */
  readonly statements?: ScriptedStater
  /** Changes of the law while the run is under way. */
  readonly changes?: readonly ScriptedChange[]
  /** New code comes while the run is under way. */
  readonly upgrade?: Upgrade
  /** Where effects go; compared with the run without a crash. */
  readonly destination?: Destination
  /** In memory unless set. */
  readonly store?: 'memory' | 'sqlite' | NewCrashDisk
  /** Also crashes a second time at every place of every recovery. The number of trials is about squared. */
  readonly pairs?: boolean
  /** Of the pairs, only every n-th is tried, evenly over all places; each of them unless set. */
  readonly everyNthPair?: number
  /** Also lets another worker take over from one that is slow but alive, at every place; true unless set. */
  readonly takeovers?: boolean
  /**
   * Scripted milliseconds that a process is gone, or slow, before the next one goes on; none unless set. With it, timers
   * come overdue, and what a flow makes of `ctx.now()` differs.
   */
  readonly downtimeMs?: number
  /** Real milliseconds that a step's function gets before the scripted clock moves on without it; 50 unless set. */
  readonly patienceMs?: number
}

/** New code: the process ends, and those that follow have these flows instead of the ones before. */
export interface Upgrade {
  /** It comes when the run's journal, those of runs that took over included, has so many events. */
  readonly afterEvents: number
  readonly flows: readonly AnyFlow[]
}

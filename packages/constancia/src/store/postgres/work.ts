import {
  assertExactTexts,
  chainDrafts,
  type Draft,
  type Head,
  type Projection,
  projectionOf,
  type RunFold,
  type RunId,
  runStream,
  type StoredEvent,
} from '../../journal/index.js'
import type { Append, ClaimRef, OutboxRef } from '../index.js'
import type { Touched } from './touched.js'

/** What one request writes: all of it, or nothing. */
export interface Work {
  readonly change?: RunChange
  readonly start?: Start
  /** Which run took over from a root. */
  readonly latest?: { readonly root: RunId; readonly run: RunId }
  readonly settles?: OutboxRef | undefined
  /** What listeners are told once it is stored. */
  readonly touched: readonly Touched[]
}

/** A change of a run that exists. */
export interface RunChange {
  readonly run: RunId
  /** Who must have the run; undefined where that does not matter. */
  readonly claim: ClaimRef | undefined
  /** Where its journal must end; undefined where that does not matter. */
  readonly head: Head | undefined
  /** What it was decided from must still end there. */
  readonly basis?: Append['basis'] | undefined
  /** New events and what follows from them. */
  readonly added?: Added
  readonly readSignalCount?: number | undefined
  /** Whether its owner got on with it. */
  readonly isProgress: boolean
  /** What it becomes once its owner is gone; undefined leaves it with its owner. */
  readonly state?: State | undefined
}

/** What the scheduler keeps of a run that nobody has. */
export interface State {
  readonly status: string
  readonly wakeAtMs?: number | undefined
  readonly waitingFor?: string
  readonly stuck?: { readonly code: string; readonly message: string }
}

/** A run to start. */
export interface Start {
  readonly run: RunId
  readonly added: Added
}

/** Events, and what follows from them. */
export interface Added extends Projection {
  readonly events: readonly StoredEvent[]
}

/** What is to become events, and by whom. */
export interface Adding {
  readonly run: RunId
  readonly head: Head
  /** Undefined for a run that begins. */
  readonly fold: RunFold | undefined
  readonly drafts: readonly Draft[]
  readonly nowMs: number
  readonly by: string
  readonly seen: string
  readonly salt: () => Uint8Array
}

/** Makes drafts into the next events of a journal. Throws if one cannot be stored, or cannot follow. */
export function add({ run, head, fold: before, drafts, nowMs, by, seen, salt }: Adding): Added {
  assertExactTexts(drafts)
  const events = chainDrafts(head, drafts, { stream: runStream(run), nowMs, by, seen, salt })
  return { events, ...projectionOf(run, before, events) }
}

/** By what a write is found again after nobody heard whether it was stored: its last event, which no other write has. */
export function identityOf({ change, start }: Work): { readonly run: RunId; readonly event: StoredEvent } | undefined {
  const place = change ?? start
  const event = place?.added?.events.at(-1)
  return place === undefined || event === undefined ? undefined : { run: place.run, event }
}

import type { MissedPolicy } from './due.js'

/**
 * What a schedule's run is told, and keeps in its journal: all that decides which runs it starts and when. It comes as the payload of
 * the signal `declared`.
 */
export interface Spec {
  /** Tells one declaration from another. */
  readonly digest: string
  readonly cron: string
  readonly timeZone: string
  readonly missed: MissedPolicy
  readonly missedMax: number
  readonly lateMs: number
  readonly flow: { readonly name: string; readonly version: number }
  readonly input: unknown
  readonly actor: string | null
}

/** The signal by which a schedule's run learns what is declared. */
export const declaredSignal = 'declared'

/** Where a schedule stands: what its run hands to the run that continues it. */
export interface ScheduleState {
  readonly spec: Spec
  /** How many declarations came so far. */
  readonly declaredCount: number
  /** Everything up to here is decided. UTC milliseconds since 1970. */
  readonly cursorMs: number
  /** When it is due next; null if never. */
  readonly nextMs: number | null
}

/** What a schedule's run begins with: nothing but its name, or where the run before it stood. */
export interface ScheduleInput {
  readonly schedule: string
  readonly state?: ScheduleState
}

const texts = ['digest', 'cron', 'timeZone'] as const
const numbers = ['missedMax', 'lateMs'] as const

/** Reads a payload of that signal, which anybody may have sent; undefined if it is no declaration. */
export function readSpec(payload: unknown): Spec | undefined {
  if (typeof payload !== 'object' || payload === null) return undefined
  const spec = payload as Record<keyof Spec, unknown>
  const { flow, missed, actor } = spec
  if (texts.some((field) => typeof spec[field] !== 'string')) return undefined
  if (numbers.some((field) => typeof spec[field] !== 'number')) return undefined
  if (missed !== 'skip' && missed !== 'latest' && missed !== 'all') return undefined
  if (actor !== null && typeof actor !== 'string') return undefined
  if (typeof flow !== 'object' || flow === null) return undefined
  const { name, version } = flow as Record<string, unknown>
  return typeof name === 'string' && typeof version === 'number' ? (payload as Spec) : undefined
}

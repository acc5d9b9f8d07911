/** The places where a process may be ended, in the order of a run. */
export const pointKinds = [
  'around the start',
  'around a claim',
  'between an effect and its append',
  'before an append',
  'after an event is stored',
  'around a signal',
  'around a vote',
  'around a cancellation',
  'around a dispatch',
  'around a suspension',
] as const

/** One of {@link pointKinds}. */
export type PointKind = (typeof pointKinds)[number]

/** What happens at one of those places: the process is gone, or it stands still until somebody lets it go on. */
export type Fate = 'crash' | 'pause'

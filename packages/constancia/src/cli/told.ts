/** How an entry is to be read at a glance. */
export type Mood = 'begin' | 'good' | 'bad' | 'wait' | 'plain'

/** What happened, for people. */
export interface Told {
  readonly text: string
  readonly mood: Mood
  /** Instead of what the event carries. */
  readonly data?: string
}

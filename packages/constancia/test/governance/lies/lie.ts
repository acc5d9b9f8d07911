import type { ReplayCheck } from '@constancia/verify'
import type { Forgery, Loose } from './forgery.js'
import type { SceneName } from './scenes.js'

/** A lie that somebody who can write anything tells in journals. */
export interface Lie {
  readonly lie: string
  readonly scene: SceneName
  readonly check: ReplayCheck
  /** Tells it; returns the event at which it has to be found. */
  readonly forge: (forgery: Forgery) => Loose
  /** What the finding says. */
  readonly says: RegExp
}

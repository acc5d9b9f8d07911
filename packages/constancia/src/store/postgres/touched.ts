import type { RunId } from '../../journal/index.js'
import type { Change } from '../index.js'

/** Something that changed, and whether other processes are told at once. */
export interface Touched extends Change {
  readonly run: RunId
  readonly isLoud: boolean
}

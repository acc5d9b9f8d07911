import type { Report } from '../report/index.js'
import type { Written } from './form.js'
import type { RunTimeline } from './timeline.js'

/** What is asked of the part of the page that verifies: one file, and what it is verified with. */
export interface Question {
  readonly file: Blob
  readonly written: Written
}

/** What it answers: progress a hundred times at most, then one of the others. */
export type Reply =
  | { readonly kind: 'progress'; readonly bytesRead: number }
  /** `digest` is the SHA-256 of the whole file; undefined where not all of it was read, because it cannot be. */
  | {
      readonly kind: 'report'
      readonly report: Report
      readonly timelines: readonly RunTimeline[]
      readonly digest: string | undefined
    }
  /** What was given beside the file makes no sense; nothing was verified. */
  | { readonly kind: 'refused'; readonly why: string }
  /** The file could not be read, or this program has a fault; nothing was verified. */
  | { readonly kind: 'fault'; readonly why: string }

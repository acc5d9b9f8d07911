/** Sizes that are enforced before anything is written. All of them are settings. */
export interface Limits {
  /** Bytes, as UTF-8, of one text: a result, an input, a signal. */
  readonly textBytesMax: number
  /** Levels of nesting in one value. */
  readonly depthMax: number
  /** Events in one run at which the log warns once. */
  readonly eventCountWarn: number
  /** Events in one run; at this count it is parked with `history_too_long` and signals to it are refused. */
  readonly eventCountMax: number
  /** Signals that a run has received and not read. */
  readonly unreadSignalCountMax: number
}

/** 1 MiB a text, 100 levels, a warning at 10,000 events, 50,000 events a run, 1,000 unread signals. */
export const defaultLimits: Limits = {
  textBytesMax: 1024 * 1024,
  depthMax: 100,
  eventCountWarn: 10_000,
  eventCountMax: 50_000,
  unreadSignalCountMax: 1_000,
}

/** A file that is no bundle. Nothing in it is proven. */
export class UnreadableBundleError extends Error {
  /** Where the line, text or note begins that cannot be read; counted from 0. */
  readonly byte: number
  /** What is wrong with it. */
  readonly why: string

  constructor(byte: number, why: string) {
    super(`The file cannot be read from byte ${byte} on: ${why}.`)
    this.name = 'UnreadableBundleError'
    this.byte = byte
    this.why = why
  }
}

/**
 * The messages of PostgreSQL's protocol (version 3), as they lie on the line: a byte that names the kind, and the length of the
 * rest in four bytes, which count themselves. The first message of a client has no kind.
 */

/** One message; `kind` is empty for the first of a client. */
export interface Frame {
  readonly kind: string
  readonly bytes: Buffer
}

/** Cuts what arrives into messages. */
export class Frames {
  #rest: Buffer = Buffer.alloc(0)
  #isFirst: boolean

  constructor(from: 'client' | 'server') {
    this.#isFirst = from === 'client'
  }

  /** Takes bytes; returns the messages that are whole by now. */
  take(bytes: Buffer): Frame[] {
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    const frames: Frame[] = []
    for (;;) {
      const head = this.#isFirst ? 0 : 1
      if (this.#rest.length < head + 4) return frames
      const length = head + this.#rest.readInt32BE(head)
      if (this.#rest.length < length) return frames
      const frame = this.#rest.subarray(0, length)
      frames.push({ kind: this.#isFirst ? '' : String.fromCharCode(frame[0] ?? 0), bytes: frame })
      this.#isFirst = false
      this.#rest = this.#rest.subarray(length)
    }
  }
}

/** Whether a client that sent this waits for an answer: a statement, the end of a group of messages, the first message. */
export function isAsked({ kind }: Frame): boolean {
  return kind === 'Q' || kind === 'S' || kind === ''
}

/** Whether a server has answered with this: it is ready for the next statement. */
export function isAnswered({ kind }: Frame): boolean {
  return kind === 'Z'
}

/** What a server that is ready says of the transaction: `I` for none, `T` for one under way, `E` for one that failed. */
export function statusOf({ bytes }: Frame): string {
  return String.fromCharCode(bytes[5] ?? 0)
}

/** The statement in a message, if there is one. */
export function sqlOf({ kind, bytes }: Frame): string | undefined {
  if (kind === 'Q') return bytes.toString('utf8', 5, bytes.length - 1)
  if (kind !== 'P') return undefined
  const start = bytes.indexOf(0, 5) + 1
  return bytes.toString('utf8', start, bytes.indexOf(0, start))
}

/** By which name a message prepares a statement, or asks for one that was prepared; empty for none. */
export function statementNameOf({ kind, bytes }: Frame): string {
  if (kind !== 'P' && kind !== 'B') return ''
  const start = kind === 'P' ? 5 : bytes.indexOf(0, 5) + 1
  return bytes.toString('utf8', start, bytes.indexOf(0, start))
}

/** A message of one kind. */
export function frameOf(kind: string, body: Buffer): Buffer {
  const bytes = Buffer.alloc(5 + body.length)
  bytes.write(kind, 0, 'latin1')
  bytes.writeInt32BE(4 + body.length, 1)
  body.copy(bytes, 5)
  return bytes
}

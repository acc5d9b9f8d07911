import { hexOf, utf8Of } from '../bytes.js'
import { verifyBundle } from '../report/index.js'
import { PlainSha256 } from '../sha256.js'
import { certificatesIn } from '../token/index.js'
import { webCrypto } from '../web-crypto.js'
import type { Question, Reply } from './messages.js'
import { Timelines } from './timeline.js'

/** Verifies one file and tells what comes of it. Never rejects. Keeps of the file what {@link verifyBundle} and {@link Timelines} keep. */
export async function answer(question: Question, tell: (reply: Reply) => void): Promise<void> {
  const { file, written } = question
  const { earlier, quorum, certificates, ...rest } = written
  const timelines = new Timelines()
  const source = new Source(file, (bytesRead) => tell({ kind: 'progress', bytesRead }))
  try {
    const report = await verifyBundle(source.pieces(), {
      crypto: webCrypto(),
      watch: (item) => timelines.add(item),
      ...rest,
      authorities: certificates === '' ? [] : certificatesIn(utf8Of(certificates)),
      ...(earlier === undefined ? {} : { earlier }),
      ...(quorum === undefined ? {} : { quorum }),
    })
    tell({ kind: 'report', report, timelines: timelines.runs, digest: source.digest() })
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    // The verifier says with a RangeError that a key, the origin or the earlier checkpoint is none.
    tell({ kind: error instanceof RangeError ? 'refused' : 'fault', why })
  }
}

/** A file in pieces, with how much of it was read, and its digest. */
class Source {
  readonly #file: Blob
  readonly #tell: (bytesRead: number) => void
  readonly #hash = new PlainSha256()
  #bytesRead = 0

  constructor(file: Blob, tell: (bytesRead: number) => void) {
    this.#file = file
    this.#tell = tell
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    const step = this.#file.size / 100
    let toldBytes = 0
    const reader = this.#file.stream().getReader()
    try {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        this.#hash.update(value)
        this.#bytesRead += value.length
        if (this.#bytesRead - toldBytes >= step) {
          toldBytes = this.#bytesRead
          this.#tell(toldBytes)
        }
        yield value
      }
    } finally {
      await reader.cancel().catch(() => undefined)
    }
  }

  /** The digest of the file, if all of it was read. Asked for once. */
  digest(): string | undefined {
    return this.#bytesRead === this.#file.size ? hexOf(this.#hash.digest()) : undefined
  }
}

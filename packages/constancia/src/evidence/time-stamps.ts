import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { boundedBody } from './bounded-body.js'
import { withoutSecrets } from './outside.js'

/** Somebody who signs what time it is (RFC 3161), and from whom tokens over checkpoints are got. */
export interface TimeStampingAuthority {
  /** How people know it: 1 to 400 characters. Tokens are kept under this name. */
  readonly name: string
  /** How long from one checkpoint with a token of it to the next one, at least, in milliseconds. */
  readonly everyMs: number
  /** The files with the certificates that are trusted, PEM or DER: its own, or of those who vouch for it. Read once a token is there. */
  readonly trusted: () => readonly Uint8Array[]
  /** Sends a question (`TimeStampReq` in DER) and returns the answer (`TimeStampResp`). Rejects where it is away. */
  ask(question: Uint8Array): Promise<Uint8Array>
}

/** What is said of an authority beside its address. */
export interface TimeStampingOptions {
  /** Files with certificates, PEM or DER: its own, or of those who vouch for it. What they do not vouch for is not kept. */
  readonly certificates: readonly string[]
  /** How long from one checkpoint with a token to the next one, at least, in milliseconds: an hour unless set. */
  readonly everyMs?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof fetch
}

const hourMs = 3_600_000
const answerMsMax = 30_000
const answerBytesMax = 65_536

/** An authority that is asked over HTTP, as RFC 3161 says. */
export function timeStampingAuthority(url: string, options: TimeStampingOptions): TimeStampingAuthority {
  const { certificates, everyMs = hourMs, headers = {}, fetch: send = fetch } = options
  return {
    name: `the time-stamping authority ${withoutSecrets(url)}`.slice(0, 400),
    everyMs,
    trusted: () => certificates.map((file) => readFileSync(resolve(file))),
    ask: async (question) => {
      const answer = await send(url, {
        method: 'POST',
        body: new Uint8Array(question),
        headers: { 'content-type': 'application/timestamp-query', ...headers },
        signal: AbortSignal.timeout(answerMsMax),
      })
      const bytes = await boundedBody(answer, answerBytesMax)
      if (!answer.ok) throw new Error(`it answered ${answer.status}`)
      return bytes
    },
  }
}

import { boundedBody } from './bounded-body.js'

/** A witness that checkpoints are cosigned by; `witnessEndpoint` makes one. */
export interface CosigningWitness {
  /** How people know where it is. */
  readonly name: string
  /** Its key, as whoever runs it gave it: `<name>+<key id>+<base64>`. What it signs is verified before it is kept. */
  readonly key: string
  /** Sends it the body of an `add-checkpoint` request, and returns what it answered, 64 KiB at most. Rejects where it is away. */
  ask(body: string): Promise<WitnessReply>
}

/** What a witness answered. */
export interface WitnessReply {
  /** Of HTTP. */
  readonly status: number
  readonly body: string
}

const answerMsMax = 10_000
const answerBytesMax = 65_536

/**
 * A witness that speaks C2SP tlog-witness over HTTP, such as `constancia witness serve`. The URL is its submission prefix, to which `/add-checkpoint` is added;
 * `key` is its key.
 */
export function witnessEndpoint(
  url: string,
  {
    key,
    headers = {},
    fetch: send = fetch,
  }: { readonly key: string; readonly headers?: Readonly<Record<string, string>>; readonly fetch?: typeof fetch },
): CosigningWitness {
  const address = `${url.replace(/\/+$/, '')}/add-checkpoint`
  return {
    name: `the witness ${key.split('+')[0]}`,
    key,
    ask: async (body) => {
      const request = { method: 'POST', body, headers: { 'content-type': 'text/plain; charset=utf-8', ...headers } }
      const answer = await send(address, { ...request, redirect: 'error', signal: AbortSignal.timeout(answerMsMax) })
      return { status: answer.status, body: (await boundedBody(answer, answerBytesMax)).toString('utf8') }
    },
  }
}

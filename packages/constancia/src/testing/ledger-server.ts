import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Destination, Ledger } from './ledger.js'

/** A destination that also counts what reaches it. */
export interface CountingDestination extends Destination {
  /** Requests since the last reset, repeated ones included. */
  readonly requestCount: number
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

/**
 * A destination behind HTTP, for flows in other processes. `POST` with a body of JSON and two headers:
 *
 *     idempotency-key: <attempt.key>     needed
 *     fencing-token: <attempt.epoch>     optional
 *
 * 200 and the body that was accepted for this key, however often it comes; 400 without a key or with a body that is no JSON;
 * 422 for a key that came with another body; 412 for a token lower than one that this run showed before.
 */
export class LedgerServer implements CountingDestination {
  readonly url: string
  readonly #server: Server
  readonly #ledger = new Ledger()
  readonly #tokens = new Map<string, number>()
  #fencedCount = 0

  /** Takes a server that listens; see {@link startLedgerServer}. */
  constructor(server: Server) {
    this.#server = server
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    server.on('request', (request, response) => void this.#receive(request, response))
  }

  get requestCount(): number {
    return this.#ledger.requestCount + this.#fencedCount
  }

  /** Requests refused since the last reset because a later owner of the run had come before. */
  get fencedCount(): number {
    return this.#fencedCount
  }

  reset(): void {
    this.#ledger.reset()
    this.#tokens.clear()
    this.#fencedCount = 0
  }

  accepted(): Readonly<Record<string, unknown>> {
    return this.#ledger.accepted()
  }

  /** Stops listening and drops every connection. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.#server.closeAllConnections()
    await closed
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await bodyOf(request)
    if (text === undefined) return // Whoever sent it is gone: it never came whole.
    const { status, body } = this.#answer(request, text)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

  #answer(request: IncomingMessage, text: string): Answer {
    const key = request.headers['idempotency-key']
    if (typeof key !== 'string') return refusal(400, 'The header idempotency-key is missing.')
    const token = request.headers['fencing-token']
    if (typeof token === 'string' && this.#isFenced(key, Number(token)))
      return refusal(412, `A later owner of this run was here before token ${token}.`)
    try {
      return { status: 200, body: this.#ledger.receive(key, JSON.parse(text) as unknown) }
    } catch (error) {
      return refusal(error instanceof SyntaxError ? 400 : 422, (error as Error).message)
    }
  }

  // A key is `<run id>/<op id>`; owners are compared within a run.
  #isFenced(key: string, token: number): boolean {
    const run = key.slice(0, key.lastIndexOf('/'))
    const highest = this.#tokens.get(run) ?? 0
    this.#tokens.set(run, Math.max(highest, token))
    if (token >= highest) return false
    this.#fencedCount += 1
    return true
  }
}

/** Starts a ledger server on a free port of this machine. It runs in this process, so it outlives those that are killed. */
export async function startLedgerServer(): Promise<LedgerServer> {
  // A connection that is kept is never closed under a request that is just being sent: whoever keeps it ends it.
  const server = createServer({ keepAliveTimeout: 0 })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  return new LedgerServer(server)
}

function refusal(status: number, error: string): Answer {
  return { status, body: { error } }
}

async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  try {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString('utf8')
  } catch {
    return undefined
  }
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { requestBytesMax } from './request.js'
import type { Witness } from './witness.js'

/** Where a witness listens. */
export interface EndpointOptions {
  readonly host: string
  /** 0 for one that is free. */
  readonly port: number
  /** Told of what went wrong within the witness; whoever asked gets 500. */
  readonly onFault: (error: unknown) => void
}

/** A witness that listens. */
export interface WitnessEndpoint {
  /** Where logs send to: this and `/add-checkpoint`. */
  readonly url: string
  /** Ends once what is under way was answered. */
  close(): Promise<void>
}

// A request is some kilobytes: whoever takes longer holds a connection for nothing.
const requestMsMax = 10_000
const connectionsMax = 256

/** Listens for `POST /add-checkpoint`, as C2SP tlog-witness says. Rejects where the place is taken. */
export async function serveWitness(witness: Witness, options: EndpointOptions): Promise<WitnessEndpoint> {
  const server = createServer({ requestTimeout: requestMsMax, headersTimeout: requestMsMax }, (request, response) => {
    answer(witness, request, response).catch((error: unknown) => {
      if (!request.complete) return
      options.onFault(error)
      if (!response.headersSent)
        reply(response, { status: 500, body: 'The witness has a fault. Nothing was cosigned.\n' })
    })
  })
  server.maxConnections = connectionsMax
  await listening(server, options)
  const { port } = server.address() as AddressInfo
  const host = options.host.includes(':') ? `[${options.host}]` : options.host
  return {
    url: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeIdleConnections()
      }),
  }
}

function listening(server: Server, { host, port }: EndpointOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

async function answer(witness: Witness, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path] = (request.url ?? '').split('?')
  if (path !== '/add-checkpoint')
    return reply(response, { status: 404, body: 'Only /add-checkpoint is here.\n', closes: true })
  if (request.method !== 'POST') {
    response.setHeader('allow', 'POST')
    return reply(response, { status: 405, body: 'A checkpoint is added by POST.\n', closes: true })
  }
  const bytes = await bodyOf(request)
  if (bytes === undefined)
    return reply(response, { status: 413, body: `A request has at most ${requestBytesMax} bytes.\n`, closes: true })
  reply(response, await witness.add(bytes))
}

interface Reply {
  readonly status: number
  readonly body: string
  readonly type?: string
  /** What is left of the request is not read. */
  readonly closes?: boolean
}

function reply(response: ServerResponse, { status, body, type = 'text/plain; charset=utf-8', closes }: Reply): void {
  const headers = { 'content-type': type, ...(closes === true ? { connection: 'close' } : {}) }
  response.writeHead(status, headers).end(body)
}

async function bodyOf(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = []
  let count = 0
  // What is left is not read, and the answer is sent all the same.
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>) {
    count += piece.length
    if (count > requestBytesMax) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

/**
 * The world outside the agent, in a process of its own: the forge and the model, over HTTP on this machine only. Nobody
 * ends it, so it is the witness: what it counted is what really arrived. `GET /ledger` shows it.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Forge, type PullLedger } from './forge.js'
import { type ModelBill, ScriptedModel } from './scripted-model.js'

/** What `GET /ledger` answers. */
export interface Ledger {
  readonly forge: PullLedger
  readonly model: ModelBill
}

const forge = new Forge()
const model = new ScriptedModel()

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    send(response, 400, { error: String(error) })
  })
})
server.keepAliveTimeout = 60_000 // The agent may think for longer than the usual five seconds.
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
// Whoever started it is gone: so is the reason to stay.
process.on('disconnect', () => process.exit())

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  switch (`${request.method} ${request.url}`) {
    case 'POST /pulls': {
      const key = request.headers['idempotency-key']
      const { status, body } = forge.open(await read(request), typeof key === 'string' ? key : undefined)
      return send(response, status, body)
    }
    case 'POST /model':
      return send(response, 200, await model.ask(await read(request)))
    case 'GET /ledger':
      return send(response, 200, { forge: forge.ledger, model: model.bill } satisfies Ledger)
    default:
      return send(response, 404, { error: `There is no ${request.method} ${request.url}.` })
  }
}

async function read<T>(request: IncomingMessage): Promise<T> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as T
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

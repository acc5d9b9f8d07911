/**
 * The world outside, in a process of its own: the bank, and the invoices, over HTTP on this machine only. Nobody ends it, so it
 * is the witness: what is in `GET /ledger` was really asked for.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Bank } from './bank.js'
import type { Bill, Payment } from './services.js'

const bills: Readonly<Record<string, Bill>> = {
  '2026-118': { vendor: 'acme', cents: 250_000 },
  '2026-119': { vendor: 'borealis', cents: 310_000 },
  '2026-120': { vendor: 'cumbre', cents: 1_800_000 },
  '2026-121': { vendor: 'delta', cents: 420_000 },
  '2026-122': { vendor: 'estela', cents: 95_000 },
  '2026-123': { vendor: 'fjord', cents: 640_000 },
}
const paidBy = new Map<string, string>()
const bank = new Bank()

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    send(response, 400, { error: String(error) })
  })
})
server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
// Whoever started it is gone: so is the reason to stay.
process.on('disconnect', () => process.exit())

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [, what = '', invoice = '', detail = ''] = (request.url ?? '').split('/')
  switch (`${request.method} /${what}/${detail}`) {
    case 'GET /invoices/': {
      const bill = bills[invoice]
      return bill === undefined
        ? send(response, 404, { error: `There is no invoice ${invoice}.` })
        : send(response, 200, bill)
    }
    case 'GET /invoices/state':
      return send(response, 200, { paidBy: paidBy.get(invoice) })
    case 'POST /invoices/state':
      paidBy.set(invoice, await text(request))
      return send(response, 200, {})
    case 'POST /transfers/': {
      const key = request.headers['idempotency-key']
      const payment = JSON.parse(await text(request)) as Payment
      const { status, body } = bank.transfer(payment, typeof key === 'string' ? key : undefined)
      return send(response, status, body)
    }
    case 'GET /ledger/':
      return send(response, 200, bank.ledger)
    default:
      return send(response, 404, { error: `There is no ${request.method} ${request.url}.` })
  }
}

function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

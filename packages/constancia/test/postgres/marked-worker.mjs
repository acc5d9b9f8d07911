// @ts-check
// A worker that keeps a mark. It is told by `{ url, ledger, mark }` as its only argument, says what it logs, and ends when it is told
// to, or by SIGKILL.
import { open } from 'constancia'
import { postgres } from 'constancia/postgres'
import { trips } from './trips.mjs'

process.once('disconnect', () => process.exit())
const { url, ledger, mark } = JSON.parse(process.argv[2] ?? '')
// However long a busy machine takes to bring a server up, nobody gives up, and no lease ends meanwhile.
const worker = { pollMs: 50, concurrency: 16, graceMs: 0, leaseMs: 600_000 }
const store = postgres({ url, waitMsMax: 300_000 })
const log = (/** @type {string} */ level, /** @type {string} */ message) => void process.send?.({ level, message })
await open({ store, flows: [trips(ledger)], worker, mark, log })
process.send?.({ level: 'ready', message: '' })

/**
 * A worker: opens the store, starts a run where it is told one, and works. Whether the run is new, has waited for days, or was left by
 * somebody who died, makes no difference here. It tells when the run has come to rest, and is ended from outside.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { open, type Run } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { livingAt } from './scripted-time.js'
import { evidenceAt, type SealedPlace } from './sealing.js'
import { type Services, servicesAt } from './services.js'
import { type Terms, treasuryWith } from './treasury.js'

/** What a worker is told. */
export interface WorkerTask {
  readonly file: string
  readonly url: string
  /** The moment in which it lives, UTC milliseconds since 1970. */
  readonly atMs: number
  readonly terms: Terms
  readonly run: string
  /** A run to start: nothing where somebody started it. */
  readonly start: { readonly invoice: string; readonly actor: string } | undefined
  /** Whether it hears nothing of the bank's answer until it is told to. */
  readonly isSlow: boolean
  /** Where its log is, if it is sealed. */
  readonly sealed: SealedPlace | undefined
}

/** What a worker tells. */
export type WorkerWord =
  /** The run rests: it waits for people, or has ended. */
  | { readonly kind: 'rests' }
  /** The bank has answered, and this worker does not know it yet. */
  | { readonly kind: 'is slow' }
  /** The store did not take what it wanted to write. */
  | { readonly kind: 'was refused'; readonly why: string }

const task = JSON.parse(process.argv[2] ?? '') as WorkerTask
const tell = (word: WorkerWord): void => void process.send?.(word)
process.on('disconnect', () => process.exit()) // Whoever started it is gone: nobody is left to tell.

const { payInvoice, contract } = treasuryWith(slowed(servicesAt(task.url)), task.terms)
const living = livingAt(sqlite({ file: task.file }), task.atMs, (why) => tell({ kind: 'was refused', why }))
const app = await open({ ...living, flows: [payInvoice], contract, ...evidenceAt(task.sealed) })
const { start } = task
if (start !== undefined) await app.start(payInvoice, { invoice: start.invoice }, { id: task.run, actor: start.actor })
await untilRests(app.run(task.run))
tell({ kind: 'rests' })

async function untilRests(run: Run): Promise<void> {
  for (;;) {
    const { status } = await run.row()
    if (status !== 'ready' && status !== 'running') return
    await pause(5)
  }
}

function slowed({ invoices, bank }: Services): Services {
  if (!task.isSlow) return { invoices, bank }
  const transfer: Services['bank']['transfer'] = async (payment, request) => {
    const receipt = await bank.transfer(payment, request)
    const told = new Promise((resolve) => process.once('message', resolve))
    tell({ kind: 'is slow' })
    await told
    return receipt
  }
  return { invoices, bank: { transfer } }
}

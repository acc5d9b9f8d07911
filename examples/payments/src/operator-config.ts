/** What the operator's command line reads in the third act; the environment says where the files are. */
import { defineConfig } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { evidenceAt } from './sealing.js'
import { servicesAt } from './services.js'
import { treasuryWith } from './treasury.js'

const {
  PAYMENTS_DB: file = 'payments.db',
  PAYMENTS_KEY: key = 'log.key',
  PAYMENTS_CHECKPOINTS: checkpoints = '.',
} = process.env
const { payInvoice, contract } = treasuryWith(servicesAt('http://127.0.0.1:8080'))

export default defineConfig({
  store: sqlite({ file }),
  flows: [payInvoice],
  contract,
  ...evidenceAt({ key, checkpoints }),
})

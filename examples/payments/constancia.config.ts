import { defineConfig } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { servicesAt } from './src/services.js'
import { treasuryWith } from './src/treasury.js'

const { payInvoice, contract } = treasuryWith(servicesAt('http://127.0.0.1:8080'))

export default defineConfig({ store: sqlite({ file: 'payments.db' }), flows: [payInvoice], contract })

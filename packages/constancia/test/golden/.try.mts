import { crashTest } from '../../dist/testing/index.js'

process.on('exit', () => console.log(globalThis.where))

import * as b from './cancelled-flows.js'
import * as c from './continued-flows.js'
import { bank } from './effects.js'
import * as a from './family-flows.js'

const f = { ...a, ...b, ...c, ...Object.fromEntries(b.cancelledFlows.map((x) => [x.flow.name, x])) }
const name = process.argv[2] ?? 'family'
const { gives: _, ...given } = f[name]
const began = performance.now()
setTimeout(() => process.exit(0), 1200000).unref()
try {
  const report = await crashTest({
    ...given,
    destination: bank,
    patienceMs: 2,
    pairs: process.argv[3] === 'pairs',
    takeovers: process.argv[3] !== 'single',
  })
  console.log(report.table(), report.triedCount, performance.now() - began)
} catch (e) {
  console.log(String(e.stack).slice(0, 6000), performance.now() - began)
}

import { crashTest } from '../../dist/testing/index.js'
import * as b from './cancelled-flows.js'
import * as c from './continued-flows.js'
import { bank } from './effects.js'
import * as a from './family-flows.js'

const only = process.argv[2]
const all = [
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((k) => ['hotel ' + k, { ...b.hotel, cancel: { afterEvents: k } }]),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((k) => [
    'force ' + k,
    { ...b.hotel, cancel: { afterEvents: k, force: true } },
  ]),
  ...[1, 2, 3, 4, 5, 6, 7, 8].map((k) => ['patched ' + k, c.patchedAfter(k)]),
  ['family', a.family],
  ['hotel', b.hotel],
  ...b.cancelledFlows.map((x) => [x.flow.name, x]),
  ['continued', c.continued],
  ['lineage', c.lineage],
  ['patched', c.patched],
]
for (const [name, golden] of all) {
  if (only && only !== 'all' && !name.startsWith(only)) continue
  const began = process.cpuUsage().user
  const { gives: _, everyNthPair, downtimeMs, ...given } = golden
  const opts =
    process.argv[3] === 'down'
      ? { downtimeMs: downtimeMs ?? 3 * 86400000, takeovers: false }
      : { pairs: process.argv[3] === 'pairs', takeovers: process.argv[3] !== 'single' }
  try {
    const report = await crashTest({
      ...given,
      destination: bank,
      patienceMs: 2,
      store: process.argv[4] ?? 'memory',
      ...(everyNthPair && !process.env.ALL ? { everyNthPair } : {}),
      ...opts,
    })
    console.log(name, report.triedCount, 'alike', (process.cpuUsage().user - began) / 1000)
  } catch (e) {
    console.log(name, String(e.message).slice(0, 3000))
  }
}

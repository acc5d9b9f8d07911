import { expect, test } from 'vitest'
import { verifyBundle } from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { chunks, Log } from '../bundle/log.js'

test('explore speed', async () => {
  const log = new Log()
  for (let n = 0; n < 1000; n++) log.run(`r${n}`, 100)
  log.seal()
  const bytes = await log.bundle([...log.streams.keys()].filter((n) => n !== 'governance').map((n) => n.slice(4)))
  for (let i = 0; i < 3; i++) {
    const cpu = process.cpuUsage()
    const t = performance.now()
    const report = await verifyBundle(chunks(bytes), {
      crypto: nodeCrypto,
      keys: [log.signer.key.text],
      origin: log.origin,
    })
    const used = process.cpuUsage(cpu)
    console.log(
      bytes.length,
      report.verdict,
      performance.now() - t,
      (used.user + used.system) / 1000,
      process.memoryUsage().rss / 1e6,
    )
    expect(report.verdict).toBe('proven')
  }
})

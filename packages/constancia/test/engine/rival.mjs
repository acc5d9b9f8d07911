// A worker in a process of its own: takes what it can get of the file, and says so. Ends when its input does.
import { flow, open } from 'constancia'
import { sqlite } from 'constancia/sqlite'

const [file, leaseMs] = process.argv.slice(2)
const contested = flow({
  name: 'contested',
  version: 1,
  run: (ctx) =>
    ctx.step('work', ({ epoch }) => {
      process.stdout.write(`executed ${epoch}\n`)
      return 'rival'
    }),
})
const runtime = await open({
  store: sqlite({ file }),
  flows: [contested],
  worker: { name: 'rival', leaseMs: Number(leaseMs), pollMs: 20 },
  log: () => undefined,
})
process.stdout.write('up\n')
process.stdin.on('end', () => void runtime.close()).resume()

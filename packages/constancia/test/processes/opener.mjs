// @ts-check
// Opens one new file after the other, each at a moment that was agreed on: others do the same. Arguments: folder, first moment
// (UTC milliseconds since 1970), milliseconds between two of them, how many. Says how many it could not open, and why.
import { join } from 'node:path'
import { open } from 'constancia'
import { sqlite } from 'constancia/sqlite'

const [folder = '', startMs = '0', everyMs = '0', count = '0'] = process.argv.slice(2)
const refusals = /** @type {string[]} */ ([])
for (let index = 0; index < Number(count); index++) {
  while (Date.now() < Number(startMs) + index * Number(everyMs));
  try {
    const runtime = await open({ store: sqlite({ file: join(folder, `${index}.db`) }), flows: [], worker: false })
    await runtime.close()
  } catch (error) {
    refusals.push(String(error))
  }
}
process.stdout.write(JSON.stringify(refusals))

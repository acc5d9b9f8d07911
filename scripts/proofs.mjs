/** `npm run proofs`: which tests carry the id of which requirement, case or test of the programme. */
import { root } from './prepare.mjs'
import { bold, dim, say } from './terminal.mjs'
import { readSources } from './tidy/source.mjs'
import { testsOf } from './tidy/test-names.mjs'

const wanted = process.argv.slice(2)
const kit = 'packages/constancia/src/testing/'
const sources = readSources(root).filter(({ area, path }) => area === 'test' || path.startsWith(kit))
const tests = sources.filter(({ path }) => !path.startsWith('scripts/')).flatMap(testsOf)

const byId = new Map()
for (const test of tests) for (const id of test.ids) byId.set(id, [...(byId.get(id) ?? []), test])
const ids = [...byId.keys()].filter((id) => wanted.length === 0 || wanted.includes(id)).sort(inOrder)

for (const id of ids) {
  say(bold(id))
  for (const { name, path, line } of byId.get(id)) say(`  ${name}  ${dim(`${path}:${line}`)}`)
}
const count = new Set(ids.flatMap((id) => byId.get(id))).size
say(`${ids.length} ids, ${count} tests that carry them, of ${tests.length} tests.`)

function inOrder(a, b) {
  return a.localeCompare(b, 'en', { numeric: true })
}

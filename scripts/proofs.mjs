/**
 * `npm run proofs`: how many tests carry the id of each requirement, case or test of the programme, and in which files;
 * `npm run proofs -- R-A7 C01` lists them by name.
 */
import { root } from './prepare.mjs'
import { bold, dim, say } from './terminal.mjs'
import { readSources } from './tidy/source.mjs'
import { testFiles, testsOf } from './tidy/test-names.mjs'

const wanted = process.argv.slice(2)
const tests = testFiles(readSources(root)).flatMap(testsOf)

const byId = new Map()
for (const test of tests) for (const id of test.ids) byId.set(id, [...(byId.get(id) ?? []), test])
const ids = [...byId.keys()].sort(inOrder)

if (wanted.length > 0) for (const id of wanted) list(id)
else for (const id of ids) summarise(id)

function summarise(id) {
  const proofs = byId.get(id)
  const files = [...new Set(proofs.map(({ path }) => path))]
  say(`${bold(id.padEnd(6))} ${String(proofs.length).padStart(4)}  ${files.join(' ')}`)
}

function list(id) {
  const proofs = byId.get(id) ?? []
  say(`${bold(id)}${proofs.length === 0 ? ' has no test' : ''}`)
  for (const { name, path, line } of proofs) say(`  ${name}  ${dim(`${path}:${line}`)}`)
  if (proofs.length === 0) process.exitCode = 1
}

function inOrder(a, b) {
  return a.localeCompare(b, 'en', { numeric: true })
}

/** Tests carry the ids of what they prove at the beginning of their names: `R-A7 T1 every crash point …`. */
import { caseCountMax, programmeCountMax, requirementCounts } from './rules.mjs'
import { isFunction, lineAt, violation, walk } from './source.mjs'

const suites = 'packages/constancia/src/testing/'
const runners = new Set(['it', 'test', 'describe'])
const looksLikeId = /^(?:R[-_ ]?[A-Za-z]?[-_]?\d+\w*|[CT][-_]?\d+\w*)(?![\w-])/i

/**
 * The tests of a source: the `name` as written (`…` for what is filled in), the `ids` it begins with and those of the
 * groups it is in, its `line`, and the `tables` from which it and its groups are made, as written (`stores` of
 * `test.each(stores)`). Cases of a suite that is handed to a test runner count as tests where they carry an id.
 */
export function testsOf(source) {
  const tests = []
  const visit = (node, groups) => {
    const found = testAt(source, node)
    if (found === undefined) return groups
    const ids = [...new Set([...groups.ids, ...idsOf(found.name)])]
    const tables = [...groups.tables, ...found.tables]
    if (found.runner === 'describe') return { ids, tables }
    const { start } = node
    tests.push({ name: found.name, ids, tables, path: source.path, line: lineAt(source, start), start })
    return groups
  }
  walkGroups(source.program, visit, { ids: [], tables: [] })
  return tests
}

function walkGroups(node, visit, groups) {
  const inner = visit(node, groups)
  for (const child of Object.values(node).flat()) {
    if (typeof child === 'object' && child !== null && typeof child.type === 'string') walkGroups(child, visit, inner)
  }
}

function testAt(source, node) {
  if (node.type === 'CallExpression' && node.arguments.length > 0) {
    const callee = source.text.slice(node.callee.start, node.callee.end)
    const runner = /^\w+/.exec(callee)?.[0]
    const name = textOf(node.arguments[0])
    const tables = [/\.(?:each|for)\((?<table>.*)\)$/s.exec(callee)?.groups.table ?? []].flat()
    return runners.has(runner) && name !== undefined ? { runner, name, tables } : undefined
  }
  if (node.type !== 'Property') return undefined
  // A case of a suite: `{ name: 'R-… …', run }`, or `{ 'R-… …': (world) => … }`.
  const name = node.key.name === 'name' ? textOf(node.value) : isFunction(node.value) ? textOf(node.key) : undefined
  return name !== undefined && looksLikeId.test(name) ? { runner: 'it', name, tables: [] } : undefined
}

function textOf(node) {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value
  return node.type === 'TemplateLiteral' ? node.quasis.map(({ value }) => value.cooked).join('…') : undefined
}

/** The ids that a test's name begins with. */
export function idsOf(name) {
  const ids = []
  for (const word of name.split(/[\s,:;/]+/)) {
    if (!isId(word)) break
    ids.push(word)
  }
  return ids
}

function isId(word) {
  const { letter, number, kind, count } =
    /^(?:R-(?<letter>[A-Z])(?<number>[1-9]\d?)|(?<kind>[CT])(?<count>\d{1,2}))$/.exec(word)?.groups ?? {}
  if (letter !== undefined) return Number(number) <= (requirementCounts[letter] ?? 0)
  if (kind === 'C') return count.length === 2 && Number(count) >= 1 && Number(count) <= caseCountMax
  return kind === 'T' && !count.startsWith('0') && Number(count) <= programmeCountMax
}

/** The files that tests are in: those of test folders, and the suites that the package offers to others. */
export function testFiles(sources) {
  return sources.filter(({ area, path }) => area === 'test' || path.startsWith(suites))
}

/** Finds test names that begin with what looks like an id and is none. */
export function checkTestNames(sources) {
  return testFiles(sources).flatMap(checkSource)
}

function checkSource(source) {
  const found = []
  walk(source.program, (node) => {
    const test = testAt(source, node)
    const bad = test === undefined ? undefined : wrongId(test.name)
    if (bad !== undefined) found.push(violation(source, node.start, problemOf(bad)))
  })
  return found
}

function wrongId(name) {
  for (const word of name.split(/[\s,:;/]+/)) {
    if (isId(word)) continue
    return looksLikeId.test(word) ? word : undefined
  }
  return undefined
}

function problemOf(word) {
  return {
    what: `a test's name begins with '${word}', which is no id`,
    why: 'The list of what is proven is made from these names; a mistyped id proves nothing.',
    fix: 'Write R-A1 for a requirement, C07 for a case, T1 for a test of the programme, or begin with a word.',
  }
}

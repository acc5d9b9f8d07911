/** The files that tidy reads, parsed once. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync } from 'oxc-parser'

const left = new Set(['node_modules', 'dist', '.build', '.cache', '.git', 'fixtures', 'vectors'])
const sourceName = /(?<!\.d)\.(ts|tsx|mts)$/

/**
 * Reads every TypeScript file of packages, examples, bench and scripts under a root. Each source has its `path` from
 * there with forward slashes, `text`, the `program` as a tree, its `comments`, the `module`'s imports and exports, and
 * `area`: `src` for what is published, `test`, or `other`. Other folders where they are named.
 */
export function readSources(root, named = ['packages', 'examples', 'bench', 'scripts']) {
  const folders = named.filter((folder) => existsSync(join(root, folder)))
  return folders.flatMap((folder) => listFiles(root, folder)).map((path) => readSource(root, path))
}

function listFiles(root, folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    if (entry.isDirectory()) return left.has(entry.name) ? [] : listFiles(root, path)
    return entry.isFile() && sourceName.test(entry.name) ? [path] : []
  })
}

function readSource(root, path) {
  const text = readFileSync(join(root, path), 'utf8')
  const { program, comments, module, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0].message}. Run the build first.`)
  return { path, text, program, comments, module, area: areaOf(path) }
}

function areaOf(path) {
  if (/^packages\/[^/]+\/src\//.test(path)) return 'src'
  return /(^|\/)test\//.test(path) ? 'test' : 'other'
}

/** The 1-based line of an offset. */
export function lineAt(source, offset) {
  let line = 1
  for (let at = source.text.indexOf('\n'); at >= 0 && at < offset; at = source.text.indexOf('\n', at + 1)) line += 1
  return line
}

/** Visits every node of a tree, parents first, with its parent and the key it has there. */
export function walk(node, visit, parent, key) {
  visit(node, parent, key)
  for (const [childKey, child] of Object.entries(node)) {
    if (Array.isArray(child)) for (const item of child) if (isNode(item)) walk(item, visit, node, childKey)
    if (isNode(child)) walk(child, visit, node, childKey)
  }
}

function isNode(value) {
  return typeof value === 'object' && value !== null && typeof value.type === 'string'
}

/**
 * The modules that a source names: its imports and exports, `import()` as a call and as a type, and what it loads through
 * `createRequire`. Each has its `target` as written, `(computed)` where that is no text; `start`; whether it is
 * `typeOnly`; and whether it is `lazy`, loaded only once a function is called.
 */
export function importsOf(source) {
  const imports = []
  const { module, program, text } = source
  for (const { moduleRequest, entries, start } of module.staticImports) {
    const typeOnly = entries.length > 0 && entries.every(({ isType }) => isType)
    imports.push({ target: moduleRequest.value, start, typeOnly, lazy: false })
  }
  for (const { entries, start } of module.staticExports) {
    // What is imported and then exported is listed here as well, at the place of the import: that is counted already.
    if (imports.some((entry) => entry.start === start)) continue
    const requests = entries.filter(({ moduleRequest }) => moduleRequest !== null)
    if (requests.length === 0) continue
    const typeOnly = requests.every(({ isType }) => isType)
    imports.push({ target: requests[0].moduleRequest.value, start, typeOnly, lazy: false })
  }
  if (/\bimport\s*\(|createRequire/.test(text)) imports.push(...loadsOf(program))
  return imports
}

function loadsOf(program) {
  const loads = []
  const loaders = new Set(['require'])
  const functions = []
  walk(program, (node) => {
    if (isFunction(node)) functions.push(node)
    if (node.type === 'VariableDeclarator' && node.init?.callee?.name === 'createRequire') loaders.add(node.id.name)
    const target = loadedBy(node, loaders)
    if (target === undefined) return
    const lazy = functions.some(({ start, end }) => start <= node.start && node.end <= end)
    const text = target.type === 'Literal' ? target.value : '(computed)'
    loads.push({ target: text, start: node.start, typeOnly: node.type === 'TSImportType', lazy })
  })
  return loads
}

function loadedBy(node, loaders) {
  if (node.type === 'ImportExpression' || node.type === 'TSImportType') return node.source
  return node.type === 'CallExpression' && loaders.has(node.callee.name) ? node.arguments[0] : undefined
}

/** Whether a node is a function with a body. */
export function isFunction({ type }) {
  return type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
}

/** The path of the source that a relative import names, or undefined where the import is of a package. */
export function resolveImport(fromPath, target) {
  if (!target.startsWith('.')) return undefined
  const parts = fromPath.split('/').slice(0, -1)
  for (const part of target.split('/')) {
    if (part === '..') parts.pop()
    else if (part !== '.') parts.push(part)
  }
  return parts.join('/').replace(/\.(m?)js$/, '.$1ts')
}

/** The name of the package that an import names: two parts where it has a scope. */
export function packageOf(target) {
  const parts = target.split('/')
  return target.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]
}

/** One violation, in the words in which it is printed. */
export function violation(source, offset, { what, why, fix }) {
  return { path: source.path, line: offset === undefined ? 1 : lineAt(source, offset), what, why, fix }
}

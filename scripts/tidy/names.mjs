/** A file is named by its concept and says what it exports. */
import { forbiddenNames } from './rules.mjs'
import { violation } from './source.mjs'

/** Refuses names that mean nothing, `export *`, and default exports. */
export function checkNames(sources) {
  return sources.flatMap((source) => [...checkFileName(source), ...checkExports(source)])
}

function checkFileName(source) {
  const name = source.path
    .split('/')
    .at(-1)
    .replace(/(\.test)?\.\w+$/, '')
  if (!forbiddenNames.includes(name)) return []
  const problem = {
    what: `is named '${name}'`,
    why: 'Such a file is where things are put that nobody has thought about.',
    fix: 'Name it by the one concept in it; with two, make two files.',
  }
  return [violation(source, undefined, problem)]
}

function checkExports(source) {
  return source.program.body.flatMap((node) => {
    if (node.type === 'ExportAllDeclaration') return [violation(source, node.start, starProblem)]
    const isDefault = node.type === 'ExportDefaultDeclaration' || exportsDefault(node)
    return isDefault && source.area === 'src' ? [violation(source, node.start, defaultProblem)] : []
  })
}

function exportsDefault(node) {
  return node.type === 'ExportNamedDeclaration' && node.specifiers.some(({ exported }) => exported.name === 'default')
}

const starProblem = {
  what: 'exports everything of another file',
  why: 'A face says what it shows, name by name; with a star, a name becomes public unseen.',
  fix: 'List the names, types as `type Name`.',
}

const defaultProblem = {
  what: 'has a default export',
  why: 'Everybody who imports it calls it something else.',
  fix: 'Give it a name and export that.',
}

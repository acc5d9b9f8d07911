/** Files, functions and lists of parameters have an end. */
import { functionLineCountMax, lineCountMax, lineCountUsual, parameterCountMax } from './rules.mjs'
import { isFunction, lineAt, violation, walk } from './source.mjs'

const signatureTypes = new Set([
  'TSMethodSignature',
  'TSFunctionType',
  'TSDeclareFunction',
  'TSEmptyBodyFunctionExpression',
])

/** Checks the length of every file and function, and in published sources the number of parameters. */
export function checkLengths(sources) {
  return sources.flatMap((source) => [...checkFile(source), ...checkFunctions(source)])
}

function checkFile(source) {
  const lineCount = source.text.split('\n').length - (source.text.endsWith('\n') ? 1 : 0)
  if (lineCount <= lineCountMax) return []
  const problem = {
    what: `has ${lineCount} lines`,
    why: `${lineCountMax} is the most, ${lineCountUsual} is usual.`,
    fix: 'Find the second concept in it and give that a file named by its noun.',
  }
  return [violation(source, undefined, problem)]
}

function checkFunctions(source) {
  const found = []
  walk(source.program, (node, parent) => {
    if (isFunction(node) && !isGroupOfTests(source, node, parent)) found.push(...checkFunction(source, node, parent))
    const hasParameters = isFunction(node) || signatureTypes.has(node.type)
    if (hasParameters && source.area === 'src') found.push(...checkParameters(source, node, parent))
  })
  return found
}

function checkFunction(source, node, parent) {
  const lineCount = lineAt(source, node.end) - lineAt(source, node.start) + 1
  if (lineCount <= functionLineCountMax) return []
  const problem = {
    what: `${nameOf(node, parent)} has ${lineCount} lines`,
    why: `${functionLineCountMax} is the most, 20 is usual.`,
    fix: 'Leave the branches in it and move the leaves into functions of their own.',
  }
  return [violation(source, node.start, problem)]
}

function checkParameters(source, node, parent) {
  const parameters = node.params.filter(({ name }) => name !== 'this')
  if (parameters.length <= parameterCountMax) return []
  const problem = {
    what: `${nameOf(node, parent)} has ${parameters.length} parameters`,
    why: `${parameterCountMax} is the most: a call with more cannot be read.`,
    fix: 'Pass one object with names.',
  }
  return [violation(source, node.start, problem)]
}

/** The callback of `describe` groups tests; its length is the file's. */
function isGroupOfTests(source, node, parent) {
  if (source.area !== 'test' || parent?.type !== 'CallExpression' || !parent.arguments.includes(node)) return false
  return /^describe\b/.test(source.text.slice(parent.callee.start, parent.callee.end))
}

function nameOf(node, parent) {
  const key = node.id ?? node.key ?? parent?.id ?? parent?.key
  return key?.name === undefined ? 'a function' : `'${key.name}'`
}

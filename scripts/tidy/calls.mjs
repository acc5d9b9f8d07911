/** Time, randomness and output are passed in: a file that asks the machine for them cannot be replayed. */
import { allowedCalls, bannedCalls } from './rules.mjs'
import { importsOf, violation, walk } from './source.mjs'

/** Finds what published sources must not call, whether they call it or pass it on. */
export function checkCalls(sources) {
  return sources.filter(({ area }) => area === 'src').flatMap(checkSource)
}

function checkSource(source) {
  const found = []
  const report = (name, start) => {
    if (!isAllowed(source.path, name)) found.push(violation(source, start, problemOf(name)))
  }
  for (const { target, start, typeOnly } of importsOf(source)) {
    if (target.startsWith('node:timers') && !typeOnly) report(target, start)
  }
  walk(source.program, (node, parent, key) => {
    const name = bannedName(node, parent, key)
    if (name !== undefined) report(name, node.start)
  })
  return found
}

function bannedName(node, parent, key) {
  if (node.type === 'NewExpression' || node.type === 'CallExpression') return dateName(node)
  if (node.type === 'MemberExpression') return memberName(node)
  if (node.type === 'Identifier' && isRead(node, parent, key)) return identifierName(node.name)
  return undefined
}

function dateName({ type, callee, arguments: given }) {
  if (callee.type !== 'Identifier' || callee.name !== 'Date') return undefined
  if (type === 'CallExpression') return 'Date()'
  return given.length === 0 ? 'new Date()' : undefined
}

function memberName({ object, property }) {
  const name = `${object.name}.${property.name ?? property.value}`
  return name in bannedCalls ? name : undefined
}

function identifierName(name) {
  return Object.hasOwn(bannedCalls, name) ? name : undefined
}

/** Whether an identifier is read as a value, and is not the name of a property, a parameter or a type. */
function isRead(node, parent, key) {
  if (parent === undefined || parent.type === 'TSTypeQuery') return false
  if (parent.type === 'MemberExpression' && key === 'property') return parent.object.name === 'globalThis'
  if (key === 'key' || key === 'id') return false
  return key !== 'params' && parent.type !== 'ImportSpecifier' && node.typeAnnotation === null
}

function isAllowed(path, name) {
  return allowedCalls.some((entry) => {
    const covers = entry.path.endsWith('/') ? path.startsWith(entry.path) : path === entry.path
    return covers && entry.calls.includes(name)
  })
}

function problemOf(name) {
  const isOutput = name === 'console' || name === 'process.exit'
  return {
    what: `uses ${name}`,
    why: isOutput
      ? 'A library does not decide what its process prints or when it ends.'
      : 'What asks the machine for time or chance cannot be replayed, simulated or tested.',
    fix: `${bannedCalls[name]} An exception is a line with its reason in scripts/tidy/rules.mjs.`,
  }
}

/** Everything that tidy checks, over one tree. */
import { checkCalls } from './calls.mjs'
import { checkCycles } from './cycles.mjs'
import { checkDocs } from './docs.mjs'
import { checkLayers } from './layers.mjs'
import { checkLengths } from './lengths.mjs'
import { checkNames } from './names.mjs'
import { checkPublicNames } from './public-names.mjs'
import { readSources } from './source.mjs'
import { checkTestNames } from './test-names.mjs'

const checks = [checkLayers, checkCycles, checkLengths, checkNames, checkCalls, checkDocs, checkTestNames]

/** Returns the violations in a tree, sorted by place, and the number of files read. `update` rewrites the public names. */
export function tidy(root, { update = false } = {}) {
  const sources = readSources(root)
  const found = [...checks.flatMap((check) => check(sources)), ...checkPublicNames(root, sources, { update })]
  found.sort((a, b) => (a.path === b.path ? a.line - b.line : a.path < b.path ? -1 : 1))
  return { violations: found, fileCount: sources.length }
}

/** `path:line what`, then why and what to do. */
export function format({ path, line, what, why, fix }) {
  return `${path}:${line} ${what}. ${why} ${fix}`
}

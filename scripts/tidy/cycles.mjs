/** No file imports itself through others, not even for a type: in a circle nothing can be read first. */
import { importsOf, resolveImport, violation } from './source.mjs'

/** Reports each circle of imports once, at the file of it that comes first. */
export function checkCycles(sources) {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const edges = new Map(sources.map((source) => [source.path, edgesOf(source, byPath)]))
  const reported = new Set()
  return sources.flatMap(({ path }) => {
    if (reported.has(path)) return []
    const circle = shortestCircle(path, edges)
    if (circle === undefined) return []
    for (const member of circle) reported.add(member.path)
    return [violation(byPath.get(path), circle[0].start, circleProblem(circle))]
  })
}

function edgesOf(source, byPath) {
  return importsOf(source)
    .map(({ target, start }) => ({ path: resolveImport(source.path, target), start }))
    .filter(({ path }) => path !== undefined && byPath.has(path))
}

function circleProblem(circle) {
  return {
    what: `imports itself through ${circle.map(({ path }) => path).join(' → ')}`,
    why: 'In a circle no file can be understood, tested or loaded before the others.',
    fix: 'Move what both need into a file of its own that imports neither.',
  }
}

/** The shortest way from a path back to itself, as the edges taken, breadth first. */
function shortestCircle(path, edges) {
  const queue = edges.get(path).map((edge) => [edge])
  const visited = new Set()
  for (let way = queue.shift(); way !== undefined; way = queue.shift()) {
    const last = way.at(-1).path
    if (last === path) return way
    if (visited.has(last)) continue
    visited.add(last)
    for (const edge of edges.get(last)) queue.push([...way, edge])
  }
  return undefined
}

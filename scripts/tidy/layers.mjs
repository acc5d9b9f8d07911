/** A layer imports only from layers below it, and only through their faces; what comes from outside is in a table. */
import { facesWithDrivers, layers, ownPackages, plainPackages, subFaces, thirdParty, verifierOnNode } from './rules.mjs'
import { importsOf, packageOf, resolveImport, violation } from './source.mjs'

const home = 'packages/constancia/src/'
const verifyHome = 'packages/verify/src/'

/** Checks the direction of every import of the published packages. */
export function checkLayers(sources) {
  const published = sources.filter(({ area }) => area === 'src')
  const direct = published.flatMap((source) =>
    importsOf(source).flatMap((entry) => {
      const problem = problemOf(source, entry)
      return problem === undefined ? [] : [violation(source, entry.start, problem)]
    }),
  )
  return [...direct, ...checkDrivers(published)]
}

function problemOf(source, { target }) {
  if (target === '(computed)') {
    return {
      what: 'imports a module whose name is computed',
      why: 'Nobody can see which layer or package that is.',
      fix: 'Write the name out, or take what it provides as an argument.',
    }
  }
  const path = resolveImport(source.path, target)
  if (path === undefined) return packageProblem(source, target)
  return source.path.startsWith(home) ? layerProblem(source, path, target) : escapeProblem(source, path, target)
}

function packageProblem({ path }, target) {
  if (target.startsWith('node:')) {
    return path.startsWith(verifyHome) && path !== verifierOnNode ? verifyProblem(target) : undefined
  }
  const name = packageOf(target)
  const own = Object.entries(ownPackages).find(([folder]) => path.startsWith(`${folder}/`))?.[1] ?? []
  if (own.includes(name) || thirdParty[path]?.includes(name)) return undefined
  if (path.startsWith(verifyHome)) return verifyProblem(target)
  return {
    what: `imports '${target}'`,
    why: 'A package from outside is imported by one file, which scripts/tidy/rules.mjs names; everything else reaches it there.',
    fix: 'Import that file, or do without. A new dependency needs a page in docs/decisions and a line in that table.',
  }
}

function verifyProblem(target) {
  return {
    what: `imports '${target}'`,
    why: 'The verifier depends on nothing, so that it runs in a browser and everything it does can be read.',
    fix: 'Take what it provides (a hash function, say) as an argument.',
  }
}

function escapeProblem(source, path, target) {
  if (path === verifierOnNode) return verifyProblem(target)
  const folder = source.path.split('/').slice(0, 3).join('/')
  if (path.startsWith(`${folder}/`)) return undefined
  return {
    what: `imports '${target}', which is outside its package`,
    why: 'It would be missing from what is published.',
    fix: 'Import the other package by its name.',
  }
}

/** Where a path inside the library is: its layer, the closed folder in it, and whether it is a face. */
function placeOf(path) {
  const inside = path.slice(home.length)
  const parts = inside.split('/')
  const subFace = parts.slice(0, 2).join('/')
  const layer = parts.length === 1 ? '' : parts[0]
  return { layer, subFace: subFace in subFaces ? subFace : undefined, inside }
}

function layerProblem(source, path, target) {
  if (!path.startsWith(home)) return escapeProblem(source, path, target)
  const from = placeOf(source.path)
  const to = placeOf(path)
  if (from.layer !== '' && !(from.layer in layers)) return unknownLayer(from.layer)
  if (from.layer === to.layer) return insideLayer(from, to, target)
  if (from.layer !== '') return acrossLayers(from, to, target)
  return source.path === `${home}index.ts` ? packageFaceProblem(to, target) : strayFile(from.inside)
}

function unknownLayer(layer) {
  return {
    what: `is in '${layer}', which is no layer`,
    why: 'What is in no layer may import and be imported by everything.',
    fix: `Move it into one of ${Object.keys(layers).join(', ')}, or add the layer to scripts/tidy/rules.mjs with a decision.`,
  }
}

function strayFile(inside) {
  return {
    what: `'${inside}' stands beside the layers`,
    why: 'Only the face of the package, index.ts, stands there.',
    fix: 'Move it into the layer that it belongs to.',
  }
}

function insideLayer(from, to, target) {
  if (from.subFace === to.subFace || to.inside === `${from.layer}/index.ts`) return undefined
  const why = from.subFace
    ? `'${from.subFace}' knows the rest of its layer by its face alone, and nothing of its siblings.`
    : `'${from.layer}' must not know what is implemented inside '${to.subFace}'.`
  return { what: `imports '${target}'`, why, fix: `Import '${from.layer}/index.js', and export there what is missing.` }
}

function acrossLayers(from, to, target) {
  if (to.layer === '') {
    return {
      what: `imports '${target}'`,
      why: 'The face of the package stands above every layer.',
      fix: 'Import the face of the layer that it comes from.',
    }
  }
  if (!layers[from.layer].includes(to.layer)) {
    return {
      what: `'${from.layer}' imports '${target}' of '${to.layer}'`,
      why: `'${from.layer}' stands on ${layers[from.layer].join(', ') || 'no other layer'} only.`,
      fix: 'Move what both need down, or pass it in from above as an argument.',
    }
  }
  return faceProblem(from, to, target)
}

function faceProblem(from, to, target) {
  if (to.subFace === undefined && to.inside === `${to.layer}/index.ts`) return undefined
  const open = to.subFace !== undefined && subFaces[to.subFace].includes(from.layer)
  if (open && to.inside === `${to.subFace}/index.ts`) return undefined
  return {
    what: `'${from.layer}' imports '${target}' past the face of '${to.layer}'`,
    why: 'What is behind a face may change without asking.',
    fix: `Import '${to.layer}/index.js', and export there what is missing.`,
  }
}

function packageFaceProblem(to, target) {
  if (to.layer in layers && to.layer !== 'testing' && to.inside === `${to.layer}/index.ts`) return undefined
  return {
    what: `imports '${target}'`,
    why: 'The face of the package is made of the faces of layers; drivers and the crash kit have subpaths of their own.',
    fix: 'Export it from the face of its layer and import that, or give it a subpath.',
  }
}

/** No face pulls a driver in when it is loaded, but the face of the folder that the driver is in. */
function checkDrivers(published) {
  const byPath = new Map(published.map((source) => [source.path, source]))
  const driverFolders = Object.keys(thirdParty)
    .filter((path) => thirdParty[path].some(isDriver))
    .map((path) => path.split('/').slice(0, -1).join('/'))
  const faces = published.filter(({ path }) => path.endsWith('/index.ts'))
  return faces.flatMap((face) => {
    const folder = face.path.slice(0, -'/index.ts'.length)
    if (driverFolders.includes(folder) || face.path in facesWithDrivers) return []
    const chain = chainToDriver(face.path, byPath, new Set())
    return chain === undefined ? [] : [violation(face, 0, driverProblem(chain))]
  })
}

const isDriver = (name) => !plainPackages.includes(name)

function driverProblem(chain) {
  return {
    what: `pulls ${chain.at(-1)} in, through ${chain.slice(1, -1).join(' and ')}`,
    why: 'Whoever imports this face would load a driver, and fail where it is not installed.',
    fix: 'Take what the driver provides as an argument, or load it in the function that needs it.',
  }
}

/** The way from a face to a package of the table along what is loaded at once, or undefined. */
function chainToDriver(path, byPath, visited) {
  visited.add(path)
  for (const { target, typeOnly, lazy } of importsOf(byPath.get(path))) {
    if (typeOnly || lazy) continue
    if (thirdParty[path]?.includes(packageOf(target)) && isDriver(packageOf(target))) return [path, target]
    const next = resolveImport(path, target)
    if (next === undefined || visited.has(next) || !byPath.has(next)) continue
    const rest = chainToDriver(next, byPath, visited)
    if (rest !== undefined) return [path, ...rest]
  }
  return undefined
}

/** What the packages show to the world, as a list under version control: a change to it is meant, or it fails. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { resolveImport } from './source.mjs'

const listName = 'public-names.txt'

/** Compares the names that each package exports with its list; with `update`, rewrites the list instead. */
export function checkPublicNames(root, sources, { update = false } = {}) {
  return packagesOf(root).flatMap((folder) => {
    const path = `${folder}/${listName}`
    const now = listOf(root, folder, sources)
    const before = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : ''
    if (now === before) return []
    if (update) writeFileSync(join(root, path), now)
    return update ? [] : [differenceOf(path, before, now)]
  })
}

function packagesOf(root) {
  if (!existsSync(join(root, 'packages'))) return []
  const names = readdirSync(join(root, 'packages')).sort()
  return names.map((name) => `packages/${name}`).filter((folder) => exportsOf(root, folder) !== undefined)
}

function exportsOf(root, folder) {
  const path = join(root, folder, 'package.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).exports : undefined
}

function listOf(root, folder, sources) {
  const byPath = new Map(sources.map((source) => [source.path, source]))
  const { name } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const blocks = Object.entries(exportsOf(root, folder))
    .filter(([, target]) => typeof target === 'object' && typeof target.types === 'string')
    .map(([subpath, { types }]) => {
      const path = `${folder}/${types.replace(/^\.\/dist\//, 'src/').replace(/\.d\.ts$/, '.ts')}`
      const names = [...publicNames(path, byPath)].sort()
      return [`# ${name}${subpath.slice(1)}`, ...names, ''].join('\n')
    })
  return blocks.join('\n')
}

/** The names that a source exports, types as `type Name`, with those of `export *` resolved. */
function publicNames(path, byPath) {
  const source = byPath.get(path)
  if (source === undefined) return new Set()
  const names = new Set()
  for (const { importName, exportName, isType, moduleRequest } of source.module.staticExports.flatMap(
    (e) => e.entries,
  )) {
    const isStar = importName.kind === 'AllButDefault'
    if (isStar) for (const name of publicNames(resolveImport(path, moduleRequest.value) ?? '', byPath)) names.add(name)
    else names.add(`${isType ? 'type ' : ''}${exportName.name ?? 'default'}`)
  }
  return names
}

function differenceOf(path, before, now) {
  const old = labelled(before)
  const fresh = labelled(now)
  const gone = old.filter((line) => !fresh.includes(line)).map((line) => `    - ${line}`)
  const added = fresh.filter((line) => !old.includes(line)).map((line) => `    + ${line}`)
  return {
    path,
    line: 1,
    what: `differs from what is exported:\n${[...gone, ...added].join('\n') || '    (only in order)'}\n   `,
    why: 'What is public is a promise to users.',
    fix: 'If it is meant, run `node scripts/tidy.mjs --update`, and say it in CHANGELOG.md; if not, take it out of the face.',
  }
}

/** Each name with the subpath it stands under, so that the same name under two of them counts twice. */
function labelled(text) {
  let subpath = ''
  return text.split('\n').flatMap((line) => {
    if (line.startsWith('# ')) subpath = line.slice(2)
    return line === '' || line.startsWith('# ') ? [] : [`${subpath}: ${line}`]
  })
}

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const dist = fileURLToPath(new URL('../../dist/', import.meta.url))

/** What a built file imports, in whatever way. */
function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  const found = text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)(['"])([^'"]+)\1/g)
  return [...found].map((match) => match[2] ?? '')
}

function filesOf(layer: string): string[] {
  const files = readdirSync(join(dist, layer), { recursive: true, encoding: 'utf8' })
  return files.filter((file) => file.endsWith('.js')).map((file) => join(dist, layer, file))
}

/** What each layer may import, besides its own files; names of Node.js without their prefix. */
const layers = {
  journal: { faces: ['@constancia/verify/chain'], folders: [] as string[], node: ['crypto', 'util', 'buffer'] },
  engine: {
    faces: ['@constancia/verify/chain'],
    folders: ['journal/index.js', 'store/index.js'],
    node: ['crypto', 'util', 'timers'],
  },
}

describe.each(Object.entries(layers))('the built files of %s', (layer, allowed) => {
  const files = filesOf(layer)

  test('R-A12 import the standard library, the format of the evidence, the face of the layer below, and each other: nothing else', () => {
    expect(files.length).toBeGreaterThan(15)
    const seen = new Set<string>()
    for (const file of files) {
      for (const target of importsOf(file)) {
        seen.add(target)
        const path = target.startsWith('.') ? resolve(dirname(file), target).slice(dist.length) : target
        const isOwn = path.startsWith(`${layer}/`)
        const isAllowed =
          isOwn || allowed.folders.includes(path) || allowed.faces.includes(path) || path.startsWith('node:')
        expect([file.slice(dist.length), target, isAllowed]).toEqual([file.slice(dist.length), target, true])
      }
    }
    expect([...seen].some((target) => target.startsWith('node:'))).toBe(true) // Or the look found nothing at all.
  })

  test('R-A11 reach for nothing beyond the process: no network, no files, no other programs', () => {
    for (const file of files) {
      for (const target of importsOf(file).filter((one) => one.startsWith('node:'))) {
        expect([file.slice(dist.length), allowed.node.includes(target.slice(5))]).toEqual([
          file.slice(dist.length),
          true,
        ])
      }
      expect([
        file,
        /\b(?:fetch|WebSocket|XMLHttpRequest|EventSource)\s*\(/.test(
          readFileSync(file, 'utf8').replace(/\/\/.*$|`[^`]*`|'[^']*'|\/\*[\s\S]*?\*\//gm, ''),
        ),
      ]).toEqual([file, false])
    }
  })
})

test('R-A12 the evidence format, which both stand on, imports nothing outside itself', () => {
  const face = fileURLToPath(import.meta.resolve('@constancia/verify'))
  for (const file of readdirSync(dirname(face), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.js'),
  )) {
    for (const target of importsOf(join(dirname(face), file)))
      expect([file, /^\.{1,2}\//.test(target) || target.startsWith('node:')]).toEqual([file, true])
  }
})

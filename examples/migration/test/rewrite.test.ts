import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { describe, expect, it } from 'vitest'
import { applyEdits, rewrite } from '../dist/rewrite.js'

const rewritten = (text: string): string => applyEdits(text, rewrite(text))

describe('what the model changes', () => {
  it.each([
    ['var at the outermost level becomes const', 'var a = 1;\nuse(a);', 'const a = 1;\nuse(a);'],
    ['var becomes let where it is assigned again', 'var a = 1;\na = 2;', 'let a = 1;\na = 2;'],
    ['var becomes let where it is counted up', 'var a = 1;\na++;', 'let a = 1;\na++;'],
    ['var becomes let where it is added to', 'var a = 1;\na += 2;', 'let a = 1;\na += 2;'],
    ['var becomes let where it is unpacked into', 'var a = 1;\n[a] = f();', 'let a = 1;\n[a] = f();'],
    ['var becomes let where it has no value yet', 'var a;\na = 1;', 'let a;\na = 1;'],
    ['an exported var is one too', 'export var a = 1;', 'export const a = 1;'],
    ['own properties are asked for by hasOwn', 'Object.prototype.hasOwnProperty.call(a, b)', 'Object.hasOwn(a, b)'],
    ['void 0 is undefined', 'exports.a = void 0;', 'exports.a = undefined;'],
    ['a required module of Node.js gets its prefix', "const fs = require('fs')", "const fs = require('node:fs')"],
    [
      'an imported module of Node.js gets its prefix',
      'import fs from "fs/promises"',
      'import fs from "node:fs/promises"',
    ],
    [
      'several changes in a line are made',
      'var a = void 0, b;f(void 0);void 0',
      'var a = undefined, b;f(undefined);undefined',
    ],
  ])('%s', (_name, before, after) => {
    expect(rewritten(before)).toBe(after)
  })

  it.each([
    ['a var that was used before it', 'f(a);\nvar a = 1;'],
    ['a var that a function before it uses', 'function f() { return a }\nvar a = 1;'],
    ['a var that is declared twice', 'var a = 1;\nvar a = 2;'],
    ['a var that declares two names', 'var a = 1, b = 2;'],
    ['a var inside a function', 'function f() {\n  var a = 1;\n}'],
    ['what is in a string', `f('void 0', "require('fs')")`],
    ['what is in a comment', "// void 0, require('fs')\n/* void 0 */"],
    ['what is in a template', 'f(`void 0`)'],
    ['what is in a regular expression', "f(/void 0'/)"],
    ['void of something else', 'void 0.5; void f()'],
    ['a module that is not one of Node.js', "require('fs-extra'); require('node:fs')"],
  ])('leaves alone %s', (_name, text) => {
    expect(rewrite(text)).toEqual([])
  })

  it('is done after one time', () => {
    const text = "var a = require('fs');\nvar b = void 0;\nb = Object.prototype.hasOwnProperty.call(a, 1);"
    expect(rewrite(rewritten(text))).toEqual([])
  })

  it('refuses to edit a line that has changed since', () => {
    const edits = rewrite('var a = 1;')
    expect(() => applyEdits('var a = 2;', edits)).toThrow(/Line 1 has changed/)
  })
})

describe('on real files', () => {
  const modules = fileURLToPath(new URL('../../../node_modules/', import.meta.url))
  const packages = ['pathe', 'source-map-js', 'postcss', 'vite', 'rolldown', 'vitest', 'typescript', 'zod']

  it.each(packages)('what is changed in %s is still JavaScript, with the same strings', (name) => {
    const files = readdirSync(join(modules, name), { recursive: true, encoding: 'utf8' })
    const sources = files.filter((file) => /\.[cm]?js$/.test(file) && statSync(join(modules, name, file)).size < 60_000)
    let changedCount = 0
    for (const file of sources) {
      const before = readFileSync(join(modules, name, file), 'utf8')
      const after = rewritten(before)
      if (after === before) continue
      changedCount += 1
      expect({ file, errors: parseSync(file, after).errors }).toEqual({ file, errors: [] })
      expect(literalsOf(file, after)).toEqual(literalsOf(file, before))
    }
    expect(changedCount).toBeGreaterThan(0)
  })
})

/** Strings, templates and regular expressions of a file, with no difference between `fs` and `node:fs`. */
function literalsOf(file: string, text: string): string[] {
  const found: string[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, operator, raw, value } = node as {
      type?: string
      operator?: string
      raw?: string
      value?: { raw?: string }
    }
    if (type === 'UnaryExpression' && operator === 'void') return // The 0 of `void 0` is no string.
    if (type === 'Literal') found.push(String(raw).replace(/^(["'])node:/, '$1'))
    if (type === 'TemplateElement') found.push(String(value?.raw))
    for (const child of Object.values(node)) visit(child)
  }
  visit(parseSync(file, text).program)
  return found
}

import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { format, tidy } from '../tidy/index.mjs'
import { idsOf } from '../tidy/test-names.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const src = 'packages/constancia/src'
const clean = '/** One. */\nexport const one = 1\n'

const trees: string[] = []

afterEach(() => {
  for (const tree of trees.splice(0)) rmSync(tree, { recursive: true, force: true })
})

/** A tree in a temporary folder, of the files given. */
function plant(files: Record<string, string>): string {
  const tree = mkdtempSync(join(tmpdir(), 'constancia-tidy-'))
  trees.push(tree)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(tree, path)), { recursive: true })
    writeFileSync(join(tree, path), text)
  }
  return tree
}

/** What tidy says of such a tree, one line each. */
function complaints(files: Record<string, string>): string[] {
  return tidy(plant(files)).violations.map(format)
}

/** Expects one complaint, at a place and with words in it. */
function expectOne(files: Record<string, string>, place: string, words: string): void {
  const found = complaints(files)
  expect(found).toHaveLength(1)
  expect(found[0]).toContain(`${place} `)
  expect(found[0]).toContain(words)
}

it('this tree is tidy', () => {
  const { violations, fileCount } = tidy(root)
  expect(violations.map(format)).toEqual([])
  expect(fileCount).toBeGreaterThan(20)
})

describe('layers', () => {
  it('a layer that imports one above it is refused', () => {
    const files = {
      [`${src}/engine/index.ts`]: `export { one } from './run.js'\n`,
      [`${src}/engine/run.ts`]: clean,
      [`${src}/journal/event.ts`]: `import { one } from '../engine/index.js'\n\n/** Two. */\nexport const two = one\n`,
    }
    expectOne(files, `${src}/journal/event.ts:1`, `'journal' imports '../engine/index.js' of 'engine'`)
  })

  it('a layer that imports past the face of one below it is refused', () => {
    const files = {
      [`${src}/journal/event.ts`]: clean,
      [`${src}/store/store.ts`]: `\nimport { one } from '../journal/event.js'\nexport { one }\n`,
    }
    expectOne(files, `${src}/store/store.ts:2`, `past the face of 'journal'`)
  })

  it('a layer that imports the face of one below it passes, by value, by type and dynamically', () => {
    const files = {
      [`${src}/journal/event.ts`]: clean,
      [`${src}/journal/index.ts`]: `export { one } from './event.js'\n`,
      [`${src}/engine/a.ts`]: `import { one } from '../journal/index.js'\n\n/** Two. */\nexport const two = one\n`,
      [`${src}/evidence/b.ts`]: `/** Two. */\nexport type Two = import('../journal/index.js').One\n`,
    }
    expect(complaints(files)).toEqual([])
  })

  it('evidence does not stand on the engine, though both are on one floor', () => {
    const files = {
      [`${src}/engine/index.ts`]: 'export {}\n',
      [`${src}/evidence/seal.ts`]: `import '../engine/index.js'\n`,
    }
    expectOne(files, `${src}/evidence/seal.ts:1`, `'evidence' stands on journal, store only`)
  })

  it('an implementation of the store knows the rest of its layer by its face alone', () => {
    const files = { [`${src}/store/errors.ts`]: clean, [`${src}/store/sqlite/open.ts`]: `import '../errors.js'\n` }
    expectOne(files, `${src}/store/sqlite/open.ts:1`, `imports '../errors.js'`)
  })

  it('implementations of the store share nothing, and their layer does not know them', () => {
    const sibling = { [`${src}/store/memory/open.ts`]: `import '../sqlite/index.js'\n` }
    expectOne(sibling, `${src}/store/memory/open.ts:1`, 'nothing of its siblings')
    const above = { [`${src}/store/index.ts`]: `export { open } from './memory/index.js'\n` }
    expectOne(above, `${src}/store/index.ts:1`, `must not know what is implemented inside 'store/memory'`)
  })

  it('the engine does not know an implementation of the store, and the crash kit does', () => {
    const engine = { [`${src}/engine/run.ts`]: `import '../store/sqlite/index.js'\n` }
    expectOne(engine, `${src}/engine/run.ts:1`, `past the face of 'store'`)
    expect(complaints({ [`${src}/testing/kit.ts`]: `import '../store/memory/index.js'\n` })).toEqual([])
  })

  it('R-A12 the engine imports no package from outside, not even lazily', () => {
    const plain = { [`${src}/engine/schema.ts`]: `import { z } from 'zod'\n` }
    expectOne(plain, `${src}/engine/schema.ts:1`, `imports 'zod'`)
    const lazy = { [`${src}/engine/schema.ts`]: `const { z } = await import('zod')\n` }
    expectOne(lazy, `${src}/engine/schema.ts:1`, `imports 'zod'`)
    const required = `import { createRequire } from 'node:module'\n\nconst load = createRequire('/')\nload('zod')\n`
    expectOne({ [`${src}/engine/schema.ts`]: required }, `${src}/engine/schema.ts:4`, `imports 'zod'`)
    const computed = { [`${src}/engine/schema.ts`]: `const z = await import(['z', 'od'].join(''))\n` }
    expectOne(computed, `${src}/engine/schema.ts:1`, 'whose name is computed')
  })

  it('R-A12 the engine and the journal import the standard library and the verifier', () => {
    const files = {
      [`${src}/engine/a.ts`]: `import 'node:crypto'\n`,
      [`${src}/journal/b.ts`]: `import '@constancia/verify'\n`,
    }
    expect(complaints(files)).toEqual([])
  })

  it('the verifier imports nothing, not even the standard library', () => {
    expectOne(
      { 'packages/verify/src/chain.ts': `import 'node:crypto'\n` },
      'packages/verify/src/chain.ts:1',
      'node:crypto',
    )
    expectOne({ 'packages/verify/src/chain.ts': `import 'zod'\n` }, 'packages/verify/src/chain.ts:1', `imports 'zod'`)
  })

  it('a driver is imported by the one file that the table names', () => {
    const named = { [`${src}/store/sqlite/driver.ts`]: `import '@photostructure/sqlite'\n` }
    expect(complaints(named)).toEqual([])
    const other = { [`${src}/store/sqlite/open.ts`]: `import '@photostructure/sqlite'\n` }
    expectOne(other, `${src}/store/sqlite/open.ts:1`, `imports '@photostructure/sqlite'`)
  })

  it('a face that pulls a driver in is refused, however long the way', () => {
    const driver = {
      [`${src}/store/sqlite/driver.ts`]: `import '@photostructure/sqlite'\n`,
      [`${src}/store/sqlite/index.ts`]: `import './driver.js'\n`,
    }
    expect(complaints(driver)).toEqual([])
    const kit = { ...driver, [`${src}/testing/index.ts`]: `import './kit.js'\n` }
    const way = { ...kit, [`${src}/testing/kit.ts`]: `import '../store/sqlite/index.js'\n` }
    expectOne(way, `${src}/testing/index.ts:1`, 'pulls @photostructure/sqlite in')
    const eager = { ...kit, [`${src}/testing/kit.ts`]: `await import('../store/sqlite/index.js')\n` }
    expectOne(eager, `${src}/testing/index.ts:1`, 'pulls @photostructure/sqlite in')
    const lazy = { ...kit, [`${src}/testing/kit.ts`]: `const f = () => import('../store/sqlite/index.js')\nf\n` }
    expect(complaints(lazy)).toEqual([])
  })

  it('the face of the package is made of faces', () => {
    const files = {
      [`${src}/journal/event.ts`]: clean,
      [`${src}/index.ts`]: `export { one } from './journal/event.js'\n`,
    }
    expectOne(files, `${src}/index.ts:1`, 'made of the faces of layers')
    const kit = { [`${src}/index.ts`]: `export { crash } from './testing/index.js'\n` }
    expectOne(kit, `${src}/index.ts:1`, 'subpaths of their own')
  })

  it('a file in no layer is refused', () => {
    const stray = { [`${src}/stray.ts`]: `import './journal/index.js'\n` }
    expectOne(stray, `${src}/stray.ts:1`, 'stands beside the layers')
    const unknown = { [`${src}/extras/a.ts`]: `import '../journal/index.js'\n` }
    expectOne(unknown, `${src}/extras/a.ts:1`, 'which is no layer')
  })
})

describe('cycles', () => {
  it('a circle of imports is reported once, with the way round', () => {
    const files = {
      [`${src}/journal/a.ts`]: `import './b.js'\n`,
      [`${src}/journal/b.ts`]: `import './c.js'\n`,
      [`${src}/journal/c.ts`]: `import './a.js'\n`,
    }
    expectOne(files, `${src}/journal/a.ts:1`, `through ${src}/journal/b.ts → ${src}/journal/c.ts → ${src}/journal/a.ts`)
  })

  it('a circle of types alone is one too', () => {
    const files = {
      [`${src}/journal/a.ts`]: `import type { B } from './b.js'\n\n/** A. */\nexport type A = B\n`,
      [`${src}/journal/b.ts`]: `import type { A } from './a.js'\n\n/** B. */\nexport type B = A\n`,
    }
    expectOne(files, `${src}/journal/a.ts:1`, 'imports itself')
  })
})

describe('lengths', () => {
  it('a file of 400 lines passes and one of 401 fails, in sources and in tests', () => {
    const lines = (count: number): string => '// A line.\n'.repeat(count)
    expect(complaints({ [`${src}/journal/a.ts`]: lines(400) })).toEqual([])
    expectOne({ [`${src}/journal/a.ts`]: lines(401) }, `${src}/journal/a.ts:1`, 'has 401 lines')
    const test = 'packages/constancia/test/a.test.ts'
    expectOne({ [test]: lines(401) }, `${test}:1`, '200 is usual')
  })

  it('a function of 70 lines passes and one of 71 fails', () => {
    const body = (count: number): string => `function long() {\n${'  // A line.\n'.repeat(count - 2)}}\nlong()\n`
    expect(complaints({ [`${src}/journal/a.ts`]: body(70) })).toEqual([])
    expectOne({ [`${src}/journal/a.ts`]: body(71) }, `${src}/journal/a.ts:1`, `'long' has 71 lines`)
  })

  it('a group of tests may be long, a test may not', () => {
    const test = (runner: string): Record<string, string> => ({
      'packages/constancia/test/a.test.ts': `${runner}('a name', () => {\n${'  // A line.\n'.repeat(80)}})\n`,
    })
    expect(complaints(test('describe'))).toEqual([])
    expectOne(test('it'), 'packages/constancia/test/a.test.ts:1', 'has 82 lines')
  })

  it('a fourth parameter fails in sources, and in tests it passes', () => {
    const text = 'function four(a: 1, b: 2, c: 3, d: 4) {}\n'
    expectOne({ [`${src}/journal/a.ts`]: text }, `${src}/journal/a.ts:1`, `'four' has 4 parameters`)
    expect(complaints({ 'packages/constancia/test/a.ts': text })).toEqual([])
    const method = 'interface Port {\n  put(a: 1, b: 2, c: 3, d: 4): void\n}\n'
    expectOne({ [`${src}/store/a.ts`]: method }, `${src}/store/a.ts:2`, `'put' has 4 parameters`)
  })
})

describe('names', () => {
  it.each(['utils', 'helpers', 'common', 'types', 'misc'])('a file named %s.ts is refused', (name) => {
    expectOne({ [`${src}/journal/${name}.ts`]: clean }, `${src}/journal/${name}.ts:1`, `is named '${name}'`)
  })

  it('export * is refused, also under a name', () => {
    const file = `${src}/journal/index.ts`
    expectOne({ [file]: `export * from './a.js'\n` }, `${file}:1`, 'exports everything')
    expectOne({ [file]: `export * as all from './a.js'\n` }, `${file}:1`, 'exports everything')
  })

  it('a default export is refused in sources and allowed in examples', () => {
    const text = '/** One. */\nexport default 1\n'
    expectOne({ [`${src}/journal/a.ts`]: text }, `${src}/journal/a.ts:2`, 'has a default export')
    const renamed = '/** One. */\nconst one = 1\nexport { one as default }\n'
    expectOne({ [`${src}/journal/a.ts`]: renamed }, `${src}/journal/a.ts:3`, 'has a default export')
    expect(complaints({ 'examples/one/src/a.ts': text })).toEqual([])
  })
})

describe('banned calls', () => {
  it.each([
    ['Date.now()', 'Date.now'],
    ['[1].map(Date.now)', 'Date.now'],
    [`Date['now']()`, 'Date.now'],
    ['new Date()', 'new Date()'],
    ['Date()', 'Date()'],
    ['Math.random()', 'Math.random'],
    ['performance.now()', 'performance.now'],
    ['process.hrtime.bigint()', 'process.hrtime'],
    ['setTimeout(() => {}, 1)', 'setTimeout'],
    [`generateKeyPairSync('ed25519')`, 'generateKeyPairSync'],
    ['globalThis.setTimeout(() => {}, 1)', 'setTimeout'],
    ['setInterval(() => {}, 1)', 'setInterval'],
    ['const timers = { setInterval }', 'setInterval'],
    [`import { setTimeout as wait } from 'node:timers/promises'`, 'node:timers/promises'],
    [`console.log('a')`, 'console'],
    ['process.exit(1)', 'process.exit'],
  ])('%s in a source is found', (text, name) => {
    expectOne({ [`${src}/engine/a.ts`]: `\n${text}\n` }, `${src}/engine/a.ts:2`, `uses ${name}.`)
  })

  it.each([
    'new Date(5)',
    'type Timer = ReturnType<typeof setTimeout>',
    'const a = { setTimeout: 1 }',
    'function f(clock: { setTimeout(): void }): void {\n  clock.setTimeout()\n}',
    '// Date.now() in a comment',
    `const text = 'Math.random()'`,
  ])('%s passes', (text) => {
    expect(complaints({ [`${src}/engine/a.ts`]: `${text}\n` })).toEqual([])
  })

  it('the clock may ask for the time, the command line may print, and neither may do the other', () => {
    expect(complaints({ [`${src}/store/clock.ts`]: 'Date.now()\n' })).toEqual([])
    expect(complaints({ [`${src}/cli/main.ts`]: `console.log('a')\nprocess.exit(1)\n` })).toEqual([])
    expectOne({ [`${src}/store/clock.ts`]: 'Math.random()\n' }, `${src}/store/clock.ts:1`, 'Math.random')
    expectOne({ [`${src}/cli/main.ts`]: 'Date.now()\n' }, `${src}/cli/main.ts:1`, 'Date.now')
  })

  it('tests, examples and benchmarks may ask for the time', () => {
    const text = 'Date.now()\n'
    const files = { 'bench/src/a.ts': text, 'examples/one/src/a.ts': text, 'packages/constancia/test/a.ts': text }
    expect(complaints(files)).toEqual([])
  })
})

describe('docstrings', () => {
  it.each([
    'export function one() {}',
    'export class One {}',
    'export interface One {}',
    'export type One = 1',
    'export const One = 1',
    'const one = 1\nexport { one as One }',
  ])('%s without a docstring is found', (text) => {
    const found = complaints({ [`${src}/journal/a.ts`]: `import 'node:fs'\n\n// One.\n${text}\n` })
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(/exports '[oO]ne' without a docstring/)
  })

  it('a docstring that is empty, or belongs to something before, does not count', () => {
    const empty = { [`${src}/journal/a.ts`]: '/** */\nexport const one = 1\n' }
    expectOne(empty, `${src}/journal/a.ts:2`, 'without a docstring')
    const ignored = '/** One. */\n// biome-ignore lint/a/b: because\nexport const one = 1\n'
    expect(complaints({ [`${src}/journal/a.ts`]: ignored })).toEqual([])
    const before = { [`${src}/journal/a.ts`]: '/** About the file. */\nconst zero = 0\nexport const one = zero\n' }
    expectOne(before, `${src}/journal/a.ts:3`, 'without a docstring')
  })

  it('overloads need one docstring, re-exports none', () => {
    const overloads =
      '/** One. */\nexport function one(a: 1): 1\nexport function one(a: 2): 2\nexport function one(a: 1 | 2) {\n  return a\n}\n'
    const files = { [`${src}/journal/a.ts`]: overloads, [`${src}/journal/index.ts`]: `export { one } from './a.js'\n` }
    expect(complaints(files)).toEqual([])
  })
})

describe('public names', () => {
  const manifest = JSON.stringify({
    name: 'constancia',
    exports: { '.': { types: './dist/index.d.ts' }, './sqlite': { types: './dist/store/sqlite/index.d.ts' } },
  })
  const files = {
    'packages/constancia/package.json': manifest,
    [`${src}/index.ts`]: `export { type Two, one } from './journal/index.js'\n`,
    [`${src}/journal/index.ts`]: `export { type Two, one } from './a.js'\n`,
    [`${src}/journal/a.ts`]: `${clean}\n/** Two. */\nexport interface Two {}\n`,
    [`${src}/store/sqlite/index.ts`]: clean,
  }
  const list = '# constancia\none\ntype Two\n\n# constancia/sqlite\none\n'

  it('a list that says what is exported passes, and --update writes it', () => {
    const tree = plant(files)
    expect(tidy(tree, { update: true }).violations).toEqual([])
    expect(readFileSync(join(tree, 'packages/constancia/public-names.txt'), 'utf8')).toBe(list)
    expect(tidy(tree).violations).toEqual([])
  })

  it('a name that came, went, or became a type is shown', () => {
    const old = list.replace('type Two', 'Two').replace('one\ntype', 'one\nthree\ntype')
    const [found] = complaints({ ...files, 'packages/constancia/public-names.txt': old })
    expect(found).toContain('    - constancia: Two\n')
    expect(found).toContain('    + constancia: type Two\n')
    const [gone] = complaints({ ...files, 'packages/constancia/public-names.txt': `${list}three\n` })
    expect(gone).toContain('    - constancia/sqlite: three\n')
  })
})

describe('names of tests', () => {
  it.each(['R-Z1', 'R-A99', 'R-a7', 'RA7', 'R_A7', 'C1', 'C61', 'T0', 'T31', 'T05'])('%s is no id', (id) => {
    const file = 'packages/constancia/test/a.test.ts'
    expectOne({ [file]: `it('${id} a sentence', () => {})\n` }, `${file}:1`, `begins with '${id}'`)
  })

  it('a case of a suite that others run carries ids as well', () => {
    const file = `${src}/testing/suite.ts`
    expectOne({ [file]: `const cases = { 'R-Z1 a sentence': () => {} }\ncases\n` }, `${file}:1`, `begins with 'R-Z1'`)
    expectOne({ [file]: `const cases = [{ name: 'T99 a sentence' }]\ncases\n` }, `${file}:1`, `begins with 'T99'`)
  })

  it('ids are read from the beginning of a name only', () => {
    expect(idsOf('R-A7 C01, T1: every crash point, as R-B2 says')).toEqual(['R-A7', 'C01', 'T1'])
    expect(idsOf('a step is not executed twice (R-A7)')).toEqual([])
  })

  it('a name without an id passes', () => {
    const names = ['C is a letter', 'Time passes', 'T-shirts are clothes', 'R is one too', 'Run 7 ends']
    const text = names.map((name) => `it('${name}', () => {})\n`).join('')
    expect(complaints({ 'packages/constancia/test/a.test.ts': text })).toEqual([])
  })
})

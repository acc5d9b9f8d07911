import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { AnyFlow, Run } from 'constancia'
import { build, transformWithOxc } from 'vite'
import { afterAll, expect, test } from 'vitest'
import type { Life } from './life.js'
import { Rig, stores, untilStatus } from './rig.js'

const folder = mkdtempSync(join(tmpdir(), 'constancia-deploys-'))
const packageFolder = fileURLToPath(new URL('../..', import.meta.url))
const source = readFileSync(new URL('./deployed-flows.mjs', import.meta.url), 'utf8')

// What the flows on disk tell: which steps ran, whatever code they came from.
const told = globalThis as { executed?: string[] }

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** One state of the code that is put to work: a folder with its modules, as an installation leaves them. */
interface Deploy {
  readonly what: string
  readonly text: (text: string) => string | Promise<string>
  readonly taxes?: string
}

const taxes = 'export const tax = (amount) => amount * 2\n'
const newerTaxes = `const rates = { usual: 2 }\nexport const tax = (amount, { rate = rates.usual } = {}) => rate * amount\n`

const harmless: readonly Deploy[] = [
  {
    what: 'a comment',
    text: (text) => text.replaceAll('const price', '// It is asked for first.\n    const price'),
  },
  {
    what: 'formatting',
    text: async (text) => (await transformWithOxc(text, 'flows.mjs')).code.replaceAll('\n', '\n\n'),
  },
  { what: 'another name of a local variable', text: (text) => text.replaceAll(/\bprice\b/g, 'offered') },
  {
    what: 'metadata',
    text: (text) => `${text}\nexport const meta = { build: 4711, owner: 'billing', changedAt: '2026-11-30' }\n`,
  },
  {
    what: 'a new flow that has nothing to do with it',
    text: (text) =>
      text.replace(
        'export const flows = [',
        `const other = flow({ name: 'other', version: 1, run: (ctx) => ctx.step('quote', () => 0) })
        export const flows = [other, `,
      ),
  },
  { what: 'a newer dependency', text: (text) => text, taxes: newerTaxes },
  { what: 'another bundler', text: bundled },
]

// One file, minified, with the dependency inside.
async function bundled(text: string): Promise<string> {
  const entry = join(folder, `entry-${deployCount}`)
  install(entry, text, taxes)
  const output = await build({
    root: entry,
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      minify: true,
      lib: { entry: join(entry, 'flows.mjs'), formats: ['es'] },
      rollupOptions: { external: ['constancia'] },
    },
  })
  const [{ output: chunks }] = output as unknown as [{ output: { code: string }[] }]
  const { code } = chunks[0] as { code: string }
  // Else it has bundled nothing.
  expect(code).not.toMatch(/from ?["']taxes["']/)
  expect(code.split('\n').length).toBeLessThan(source.split('\n').length)
  return code
}

function install(where: string, text: string, dependency: string): void {
  mkdirSync(join(where, 'node_modules', 'taxes'), { recursive: true })
  symlinkSync(packageFolder, join(where, 'node_modules', 'constancia'))
  const named = { name: 'taxes', type: 'module', exports: './index.js' }
  writeFileSync(join(where, 'node_modules', 'taxes', 'package.json'), JSON.stringify(named))
  writeFileSync(join(where, 'node_modules', 'taxes', 'index.js'), dependency)
  writeFileSync(join(where, 'flows.mjs'), text)
}

let deployCount = 0

async function deployed({ text, taxes: dependency = taxes, what }: Deploy): Promise<AnyFlow[]> {
  const where = join(folder, `deploy-${++deployCount}`)
  const changed = await text(source)
  // Else it is no change.
  expect(changed !== source || dependency !== taxes, what).toBe(true)
  install(where, changed, dependency)
  const { flows } = (await import(pathToFileURL(join(where, 'flows.mjs')).href)) as { flows: AnyFlow[] }
  return flows
}

const kinds = ['approved', 'asleep', 'signalled'] as const
type Kind = (typeof kinds)[number]

/** A hundred runs that wait: half of them for a yes, some for a time, some for word from somewhere. */
const counts: Readonly<Record<Kind, number>> = { approved: 50, asleep: 30, signalled: 20 }
const sleepMs = 86_400_000

test.each(stores)(
  'C35 %s: 100 paused runs go on through seven harmless deploys; a real change is told before, and none is lost',
  async (store) => {
    told.executed = []
    const rig = new Rig(store)
    const first = await deployed({ what: 'the first', text: (text) => `${text}\n` })
    let life = await rig.live(first)
    const waiting = await started(life, first)
    for (const id of waiting.keys()) await untilStatus(life.runtime.run(id), 'waiting')
    expect(waiting.size).toBe(100)
    expect(told.executed).toHaveLength(100)

    for (const deploy of harmless) {
      const flows = await deployed(deploy)
      await life.crash()
      life = await rig.live(flows)
      const answers = await rehearsed(life, [...waiting.keys()])
      expect(
        answers.filter(({ kind }) => kind !== 'replays'),
        deploy.what,
      ).toEqual([])
      // Some of each kind go on under it, to their ends.
      for (const [id, { kind, amount }] of someOfEach(waiting, 2)) {
        if (kind === 'asleep') continue
        const run = life.runtime.run(id)
        await run.signal(kind, 'yes')
        expect(await run.result(), deploy.what).toEqual([amount * 2, 'yes'])
        waiting.delete(id)
      }
    }
    // Nobody's first step was executed again.
    expect(new Set(told.executed).size).toBe(told.executed.length)

    const real = (text: string): string => text.replaceAll("ctx.step('quote'", "ctx.step('estimate'")
    const changed = await deployed({ what: 'a real change', text: real })
    await life.crash()
    life = await rig.live(changed, { worker: false })
    const ids = [...waiting.keys()]
    const answers = await rehearsed(life, ids)
    expect(answers).toHaveLength(100 - harmless.length * 4)
    for (const answer of answers) {
      expect(answer).toMatchObject({ kind: 'diverges', code: 'nondeterminism' })
      expect(answer.kind === 'diverges' && answer.message).toMatch(/step "quote".*step "estimate"/s)
    }

    // Whoever deploys it all the same parks them, and loses none.
    await life.crash()
    life = await rig.live(changed)
    await wake(rig, life, waiting)
    for (const id of ids) await untilStatus(life.runtime.run(id), 'stuck')
    expect((await life.runtime.run(ids[0] as string).row()).stuck?.message).toMatch(/step "quote".*step "estimate"/s)

    // Beside the old version the new one is a version of its own, and everybody ends under what they began with.
    const second = changed.map((flow) => ({ ...flow, version: 2 }))
    await life.crash()
    life = await rig.live([...first, ...second])
    for (const [id, { kind, amount }] of waiting) {
      const run = life.runtime.run(id)
      await run.retry('the old version is back')
      expect(await run.result()).toEqual(kind === 'asleep' ? [amount * 2, 'awake'] : [amount * 2, 'yes'])
    }
    const { items } = await life.runtime.runs({ limit: 1000 })
    expect(items.map(({ status, version }) => `${status} ${version}`)).toEqual(Array(100).fill('completed 1'))
    expect(told.executed.filter((step) => step.startsWith('quote '))).toHaveLength(100)
    expect(new Set(told.executed).size).toBe(told.executed.length)
  },
  120_000,
)

async function started(life: Life, flows: readonly AnyFlow[]) {
  const waiting = new Map<string, { readonly kind: Kind; readonly amount: number }>()
  for (const kind of kinds) {
    const flow = flows.find(({ name }) => name === kind) as AnyFlow
    for (let amount = 0; amount < counts[kind]; amount++) {
      const run = await life.runtime.start(flow, amount as never, { id: `${kind}-${amount}` })
      waiting.set(run.id, { kind, amount })
    }
  }
  return waiting
}

async function rehearsed(life: Life, ids: readonly string[]) {
  return Promise.all(ids.map((id) => life.runtime.rehearse(id)))
}

function someOfEach(waiting: ReadonlyMap<string, { kind: Kind; amount: number }>, count: number) {
  return kinds.flatMap((kind) => [...waiting].filter(([, run]) => run.kind === kind).slice(0, count))
}

async function wake(rig: Rig, life: Life, waiting: ReadonlyMap<string, { kind: Kind }>): Promise<void> {
  const signals: [Run, Kind][] = []
  for (const [id, { kind }] of waiting) if (kind !== 'asleep') signals.push([life.runtime.run(id), kind])
  for (const [run, kind] of signals) await run.signal(kind, 'yes')
  await rig.advance(sleepMs)
}

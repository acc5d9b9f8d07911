import { flow } from 'constancia'
import { describe, expect, it } from 'vitest'
import { astray, order, pay } from './flows.mjs'
import { Project, rests, until, usualConfig, usualName } from './project.js'

/** Runs in flight: five that wait for a person, one with a child, one that is stuck. */
async function inFlight(): Promise<Project> {
  const project = new Project()
  await project.using({}, async (runtime) => {
    for (let index = 0; index < 5; index += 1) await runtime.start(pay, { amount: index }, { id: `pay-${index}` })
    await runtime.start(order, { amount: 9 }, { id: 'order' })
    await runtime.start(astray, undefined, { id: 'astray' })
    for (let index = 0; index < 5; index += 1) await rests(runtime, `pay-${index}`, 'waiting')
    await until(
      async () => (await runtime.runs({ idPrefix: 'order~' })).items[0]?.status === 'waiting',
      'the child waits',
    )
    await rests(runtime, 'order', 'waiting')
    await rests(runtime, 'astray', 'stuck')
  })
  return project
}

/** What is written to the database, and who owns what. */
async function facts(project: Project): Promise<unknown> {
  return project.using(false, async (runtime) => {
    const rows = (await runtime.runs()).items
    return Promise.all(rows.map(async (row) => [row, await runtime.run(row.id).export()]))
  })
}

const changed = `
  import { defineConfig, flow } from 'constancia'
  import { sqlite } from 'constancia/sqlite'
  import { order } from './flows.mjs'

  const pay = flow({
    name: 'pay',
    version: 1,
    run: async (ctx) => {
      await ctx.step('reserve', () => { throw new Error('a rehearsal executes nothing') })
      await ctx.step('look again', () => { throw new Error('a rehearsal executes nothing') })
      return ctx.step('charge', () => 1)
    },
  })
  export default defineConfig({ store: sqlite({ file: 'app.db' }), flows: [pay, order] })
`

/** The same with another first step. */
const blocked = changed.replace("await ctx.step('reserve'", "await ctx.step('block'")

describe('constancia check', () => {
  it('C35: code that says the same strands nobody: exit code 0', async () => {
    const project = await inFlight()
    const renamed = usualConfig.replace('import { flows }', '// Metadata and comments say nothing.\n  import { flows }')
    project.write(usualName, renamed)
    const ended = await project.run(['check', '--ignore-stuck'])
    expect([ended.code, ended.stdout]).toEqual([0, '7 open runs: 7 replay, none would be stranded.\n'])
  })

  it('C35: a real change lists every run that it would strand, with both sides, executes and writes nothing: exit code 6', async () => {
    const project = await inFlight()
    const before = await facts(project)
    project.write(usualName, blocked)
    const [text, json] = await Promise.all([project.run(['check']), project.run(['check', '--json'])])
    expect([text.code, json.code]).toEqual([6, 6])
    expect(text.stdout).toMatch(/^8 open runs: 1 replay, 7 runs would be stranded\.\n/)
    const words = text.stdout.replace(/\s+/g, ' ')
    expect(words).toContain(
      'nondeterminism 6 runs of pay@1 At op 0 the journal has step "reserve", but the code asked for step "block"',
    )
    expect(words).toContain('no_code 1 run of astray@1 The configuration has no flow astray@1.')
    const { stranded } = JSON.parse(json.stdout) as { stranded: { run: string; code: string }[] }
    expect(stranded.map(({ run }) => run).sort()).toEqual([
      'astray',
      'order~0',
      'pay-0',
      'pay-1',
      'pay-2',
      'pay-3',
      'pay-4',
    ])
    expect(await facts(project)).toEqual(before)
  })

  it('C35: a change after the point that runs have reached is found where the journal tells it, and not elsewhere', async () => {
    const project = await inFlight()
    await project.using(false, (runtime) => runtime.run('pay-0').signal('approved'))
    project.write(usualName, changed)
    const ended = await project.run(['check', '--flow', 'pay@1'])
    // The step that comes new where a signal was awaited left no trace in the journals of those that still wait.
    expect([ended.code, ended.stdout]).toEqual([0, '6 open runs: 6 replay, none would be stranded.\n'])
  })

  it('C35: runs that are stuck already count, unless they are left out', async () => {
    const project = await inFlight()
    project.write(usualName, blocked)
    const other = flow({ name: 'pay', version: 1, run: (ctx) => ctx.step('block', () => 1) })
    await project.using(
      {},
      async (runtime) => {
        await runtime.run('pay-0').signal('approved')
        await rests(runtime, 'pay-0', 'stuck')
      },
      [other],
    )
    const [stuck, others] = await Promise.all([
      project.run(['check', '--flow', 'pay', '--status', 'stuck']),
      project.run(['check', '--flow', 'pay', '--ignore-stuck', '--json']),
    ])
    expect([stuck.code, stuck.stdout]).toEqual([
      6,
      expect.stringMatching(/^1 open run: 0 replay, 1 run would[\s\S]* {2}pay-0 {2}stuck\n/),
    ])
    expect(JSON.parse(others.stdout)).toMatchObject({ checkedCount: 5, replaysCount: 0 })
    project.write(usualName, usualConfig)
    const mended = await project.run(['check', '--flow', 'pay'])
    expect([mended.code, mended.stdout]).toEqual([
      0,
      '6 open runs: 6 replay, none would be stranded.\nOne that replays is stuck now; constancia retry lets it try.\n',
    ])
  })
})

describe('constancia retry', () => {
  it('C35: stuck runs go on under repaired code, picked by their reason, and by nothing else', async () => {
    const project = await inFlight()
    const [other, asked] = await Promise.all([
      project.run(['retry', '--code', 'nondeterminism', '--yes']),
      project.run(['retry', '--all']),
    ])
    expect([other.code, other.stderr]).toEqual([0, 'No run fits. Nothing was done.\n'])
    expect([asked.code, asked.stderr]).toEqual([8, expect.stringContaining('About to retry 1 run (1 stuck)')])
    const ended = await project.run(['retry', '--code', 'foreign_await', '--note', 'mended', '--yes', '--json'])
    expect([ended.code, JSON.parse(ended.stdout)]).toEqual([0, { run: 'astray', outcome: 'retried' }])
    await project.using(false, async (runtime) => {
      expect((await runtime.run('astray').row()).status).toBe('ready')
      expect((await runtime.run('astray').events()).at(-1)).toMatchObject({
        kind: 'RetryRequested',
        body: '{"note":"mended"}',
      })
    })
  })
})

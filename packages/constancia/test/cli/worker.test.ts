import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { flow } from 'constancia'
import { describe, expect, it } from 'vitest'
import { Project, until, usualConfig } from './project.js'

// A step lasts until somebody makes the file `go`.
const config = `
  import { existsSync, writeFileSync } from 'node:fs'
  import { setTimeout as pause } from 'node:timers/promises'
  import { defineConfig, flow } from 'constancia'
  import { sqlite } from 'constancia/sqlite'

  const waits = (version) => flow({ name: 'waits', version, run: async (ctx) => {
    await ctx.step('first', async () => {
      writeFileSync('in-' + ctx.runId, '')
      while (!existsSync('go')) await pause(20)
    })
    await ctx.step('second', () => 'done')
  } })
  export default defineConfig({ store: sqlite({ file: 'app.db' }), flows: [waits(1), waits(2)], worker: { pollMs: 50 } })
`

// Who only starts runs does not need their code.
const waits = (version: number) => flow({ name: 'waits', version, run: async () => undefined as unknown })
const [first, second] = [waits(1), waits(2)]

const limit = { timeout: 120_000 }

interface Word {
  readonly kind: string
  readonly [field: string]: unknown
}

function wordsOf(stdout: string): Word[] {
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Word)
}

/** Starts a worker on a project with one run of each version, and returns once it is in the step of every run that it has. */
async function busy(words: readonly string[], runIds: readonly string[]) {
  const project = new Project(config)
  const runtime = await project.open(false, [first, second])
  await runtime.start(first, null, { id: 'v1' })
  await runtime.start(second, null, { id: 'v2' })
  const worker = project.start(['worker', '--name', 'w-1', ...words])
  const statusOf = async (id: string) => (await runtime.run(id).row()).status
  for (const id of runIds) await until(() => existsSync(join(project.folder, `in-${id}`)), `the step of ${id} begins`)
  return { project, runtime, worker, statusOf }
}

describe('constancia worker', () => {
  it(
    'R-C5 R-B12 C50: says what it has; a signal drains it: attempts end and count, runs are given back, and it tells which',
    limit,
    async () => {
      const { project, runtime, worker, statusOf } = await busy(
        ['--json', '--lease', '20s', '--grace', '10m'],
        ['v1', 'v2'],
      )
      const shown = await project.run(['workers'])
      expect(shown.stdout).toMatch(/^w-1 +working +2 .* waits@1, waits@2$/m)
      expect(shown.stdout).toMatch(/^ {2}holds 1 of waits@\d, v\d for .*; 1 of waits@\d, v\d for /m)
      worker.child.kill('SIGTERM')
      await worker.says('giving runs back')
      const draining = JSON.parse((await project.run(['workers', '--json'])).stdout) as { unserved: unknown }
      expect(draining.unserved).toEqual(
        [1, 2].map((version) => ({ flow: 'waits', version, runCount: 1, draining: ['w-1'] })),
      )
      project.write('go', '')
      const ended = await worker.ended
      expect(ended.code).toBe(0)
      const [up, begun, drained, ...others] = wordsOf(ended.stdout)
      expect(up).toMatchObject({ kind: 'up', name: 'w-1', leaseMs: 20_000, flows: ['waits@1', 'waits@2'] })
      expect(up?.['store']).toContain(join(project.folder, 'app.db'))
      expect([begun, others]).toEqual([{ kind: 'draining', graceMs: 600_000 }, []])
      expect(drained).toEqual({
        kind: 'drained',
        givenBack: expect.arrayContaining(['v1', 'v2']),
        cutOff: [],
        notGivenBack: [],
      })
      for (const id of ['v1', 'v2']) {
        expect(await statusOf(id)).toBe('ready')
        expect((await runtime.run(id).events()).map(({ kind }) => kind)).toEqual(['FlowStarted', 'StepCompleted'])
      }
      expect(await runtime.workers()).toEqual([])
      await runtime.close()
    },
  )

  it(
    'R-C5 C50: cuts off what outlasts the grace and says so by its exit code; it takes only the flows that it was told',
    limit,
    async () => {
      const { runtime, worker, statusOf } = await busy(['--grace', '0s', '--flow', 'waits@2'], ['v2'])
      worker.child.kill('SIGINT')
      const ended = await worker.ended
      expect([ended.code, ended.stdout]).toEqual([12, ''])
      expect(ended.stderr).toMatch(/^worker: w-1 is up with 1 flow: waits@2; SQLite /m)
      expect(ended.stderr).toContain('cut off and gave back 1 run (v2)')
      expect([await statusOf('v1'), await statusOf('v2')]).toEqual(['ready', 'ready'])
      await runtime.close()
    },
  )

  it('C50: ends at once at the second signal', limit, async () => {
    const { runtime, worker, statusOf } = await busy(['--grace', '10m'], ['v1', 'v2'])
    worker.child.kill('SIGTERM')
    await worker.says('giving runs back')
    worker.child.kill('SIGTERM')
    expect((await worker.ended).code).toBe(130)
    expect(await statusOf('v1')).toBe('running')
    await runtime.close()
  })

  it(
    'C50: refuses to start without flows, with flows that are not there, and with numbers that make no sense',
    limit,
    async () => {
      const project = new Project()
      project.write('none.mjs', usualConfig.replace('[...flows]', '[]'))
      project.write('odd.mjs', usualConfig.replace("sqlite({ file: 'app.db' })", "'sqlite'"))
      const [none, odd, unknown, lease, count] = await Promise.all(
        [
          ['-c', 'none.mjs'],
          ['-c', 'odd.mjs'],
          ['--flow', 'pay@9'],
          ['--lease', 'long'],
          ['--concurrency', '0'],
        ].map((words) => project.run(['worker', ...words])),
      )
      expect([none?.code, none?.stderr]).toEqual([
        9,
        expect.stringMatching(/none\.mjs has no flows.*add them to flows/),
      ])
      expect([odd?.code, odd?.stderr]).toEqual([9, expect.stringContaining('names no store')])
      expect([unknown?.code, unknown?.stderr]).toEqual([3, expect.stringMatching(/no flow pay@9.*It has .*pay@1/)])
      expect([lease?.code, lease?.stderr]).toEqual([2, expect.stringContaining('--lease takes a number and a unit')])
      expect([count?.code, count?.stderr]).toEqual([2, expect.stringContaining('--concurrency takes a whole number')])
    },
  )
})

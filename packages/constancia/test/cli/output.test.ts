import { describe, expect, it } from 'vitest'
import { flaky, pay } from './flows.mjs'
import { Project, rests } from './project.js'

const longId = 'a-run-with-a-name-of-its-own-that-is-far-too-long-for-a-table-of-80-columns'

async function seeded(): Promise<Project> {
  const project = new Project()
  await project.using({}, async (runtime) => {
    await runtime.start(pay, { amount: 1 }, { id: longId })
    await runtime.start(pay, { amount: 2 }, { id: 'short' })
    await runtime.start(flaky, undefined, { id: 'flaky' })
    await rests(runtime, longId, 'waiting')
    await rests(runtime, 'short', 'waiting')
    await rests(runtime, 'flaky', 'completed')
  })
  return project
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: nothing that acts on a terminal may be there.
const acting = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/

describe('what a person reads', () => {
  it('C50: fits 80 columns, has no colours and nothing that acts on a terminal, and never cuts an id', async () => {
    const project = await seeded()
    const texts = await Promise.all(
      [
        ['runs'],
        ['show', 'flaky'],
        ['show', 'short'],
        ['journal', 'flaky'],
        ['doctor'],
        ['--help'],
        ['cancel', '--help'],
      ].map((words) => project.run(words)),
    )
    for (const { code, stdout, stderr } of texts) {
      expect([code, stderr]).toEqual([0, ''])
      expect(stdout).not.toMatch(acting)
      for (const line of stdout.split('\n')) expect([...line].length, line).toBeLessThanOrEqual(80)
    }
    const [runs, show] = texts
    expect(runs!.stdout).toContain(`\n${longId}\n`)
    expect(show!.stdout).toContain('step "send \\u001b[31mred" attempt 1 failed')
  })

  it('C50: says with --json what programs need: a line for each of many, one document for one', async () => {
    const project = await seeded()
    const [runs, show, journal, doctor, check] = await Promise.all(
      [['runs'], ['show', 'short'], ['journal', 'short'], ['doctor'], ['check']].map((words) =>
        project.run([...words, '--json']),
      ),
    )
    const lines = (text: string): unknown[] =>
      text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
    expect(lines(runs!.stdout)).toMatchObject([
      { id: 'flaky', status: 'completed' },
      { id: 'short' },
      { id: longId, waitingFor: [{ name: 'approved' }] },
    ])
    expect(lines(show!.stdout)).toMatchObject([
      { run: { id: 'short' }, children: [], timeline: [{ seq: 0 }, { seq: 1 }] },
    ])
    expect(lines(journal!.stdout)).toMatchObject([
      { kind: 'FlowStarted', seq: 0 },
      { kind: 'StepCompleted', seq: 1 },
    ])
    expect(lines(doctor!.stdout)).toMatchObject([{ findings: [] }])
    expect(lines(check!.stdout)).toMatchObject([{ checkedCount: 2, replaysCount: 2, stranded: [] }])
  })

  it('C50: ends quietly when the reader of its output leaves', async () => {
    const project = new Project()
    await project.using(false, async (runtime) => {
      await Promise.all(Array.from({ length: 2_000 }, () => runtime.start(pay, { amount: 1 })))
    })
    const command = project.start(['runs', '--all', '--json'])
    command.child.stdout?.once('data', () => command.child.stdout?.destroy())
    const ended = await command.ended
    expect([ended.code, ended.stderr]).toEqual([0, ''])
    expect(ended.stdout.split('\n').length).toBeLessThan(2_000)
  })
})

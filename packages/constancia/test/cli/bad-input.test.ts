import { describe, expect, it } from 'vitest'
import { Project, rests } from './project.js'

const longIds = ['aa-1', 'aa-2', 'bb-1']

async function seeded(): Promise<Project> {
  const project = new Project()
  await project.using({}, async (runtime) => {
    const [pay, fail] = [
      runtime.flows.find((flow) => flow.name === 'pay'),
      runtime.flows.find((flow) => flow.name === 'fail'),
    ]
    for (const id of longIds) await runtime.start(pay!, { amount: 1 }, { id })
    await runtime.start(fail!, undefined, { id: 'over' })
    await rests(runtime, 'over', 'failed')
    for (const id of longIds) await rests(runtime, id, 'waiting')
  })
  return project
}

/** Commands that take one run, with what else they need. */
const looking = [['show'], ['journal'], ['export']]
const acting = [['signal', 'approved'], ['cancel'], ['retry'], ['purge', '--yes']]

const twoFit = /fits 2 runs[\s\S]*aa-2 {2}pay@1 {2}waiting[\s\S]*aa-1 {2}pay@1 {2}waiting/

describe('an id that is wrong', () => {
  it.for([
    { what: 'unknown', id: 'nobody', code: 3, reason: /There is no run nobody/, commands: [...looking, ...acting] },
    {
      what: 'the beginning of two',
      id: 'aa',
      code: 4,
      reason: twoFit,
      commands: [['show'], ['signal', 'approved'], ['cancel']],
    },
    {
      what: 'impossible',
      id: '../bb-1',
      code: 2,
      reason: /invalid_id/,
      commands: [['show'], ['cancel'], ['signal', 'x']],
    },
  ])(
    'C50: one that is $what has an exit code of its own, and nothing is done',
    async ({ id, code, reason, commands }) => {
      const project = await seeded()
      const before = await facts(project)
      const ended = await Promise.all(commands.map(([command = '', ...rest]) => project.run([command, id, ...rest])))
      for (const [index, [command]] of commands.entries()) {
        expect([command, ended[index]!.code, ended[index]!.stdout]).toEqual([command, code, ''])
        expect(ended[index]!.stderr).toMatch(reason)
      }
      expect(await facts(project)).toEqual(before)
    },
  )

  it('C50: an unknown id among known ones stops the whole command before anything is done', async () => {
    const project = await seeded()
    const ended = await project.run(['cancel', 'aa-1', 'nobody', 'bb-1', '--yes'])
    expect([ended.code, ended.stdout]).toEqual([3, ''])
    await project.using(false, async (runtime) => {
      for (const id of longIds) expect((await runtime.run(id).row()).isCancelRequested).toBe(false)
    })
  })

  it('C50: the beginning of an id is enough where only one run begins so', async () => {
    const project = await seeded()
    const ended = await project.run(['signal', 'b', 'approved', '--json'])
    expect([ended.code, JSON.parse(ended.stdout)]).toEqual([
      0,
      { run: 'bb-1', signal: 'approved', outcome: 'delivered' },
    ])
  })
})

describe('a run that is not as it should be', () => {
  it('C50: a run that has ended is neither cancelled nor signalled nor retried: exit code 5, nothing added', async () => {
    const project = await seeded()
    const before = await facts(project)
    const [cancel, signal, retry, waiting, purge] = await Promise.all([
      project.run(['cancel', 'over']),
      project.run(['signal', 'over', 'approved']),
      project.run(['retry', 'over']),
      project.run(['retry', 'bb-1']),
      project.run(['purge', 'bb-1', '--yes']),
    ])
    expect([cancel, signal, retry, waiting, purge].map(({ code, stdout }) => [code, stdout])).toEqual(
      Array(5).fill([5, '']),
    )
    expect(cancel.stderr).toMatch(/has ended already[\s\S]*over {2}fail@1 {2}failed/)
    expect(signal.stderr).toContain('[run_ended]')
    expect(retry.stderr).toContain('not stuck')
    expect(waiting.stderr).toMatch(/not stuck[\s\S]*signal "approved"/)
    expect(purge.stderr).toContain('has not ended')
    expect(await facts(project)).toEqual(before)
  })
})

describe('a command that makes no sense', () => {
  it('C50: ends with exit code 2 and says what to do, with nothing on standard output', async () => {
    const project = await seeded()
    const wrong: readonly (readonly [words: readonly string[], reason: RegExp])[] = [
      [['runns'], /runns.*Did you mean runs/],
      [['runs', '--limit', 'many'], /--limit takes a whole number/],
      [['runs', '--status', 'sleeping'], /"sleeping" is no status.*waiting/],
      [['cancel', '--status', 'completed', '--yes'], /nothing to do for runs that are completed/],
      [['cancel', 'bb-1', '--flow', 'pay'], /named and picked by filters/],
      [['cancel', '--yes'], /Which runs\?/],
      [['start', 'pay', '{"amount":'], /not JSON/],
      [['start', 'pay', 'soon'], /A text needs quotes of its own: '"soon"'/],
      [['signal', 'bb-1', 'approved', '{}', '--input-file', 'x.json'], /given twice/],
    ]
    const ended = await Promise.all(wrong.map(([words]) => project.run(words)))
    for (const [index, [words, reason]] of wrong.entries()) {
      expect([words, ended[index]!.code, ended[index]!.stdout]).toEqual([words, 2, ''])
      expect(ended[index]!.stderr.replace(/\s+/g, ' ')).toMatch(reason)
    }
  })
})

/** All that the database has. */
async function facts(project: Project): Promise<unknown> {
  return project.using(false, async (runtime) => {
    const rows = (await runtime.runs()).items
    return Promise.all(rows.map(async ({ id }) => [id, await runtime.run(id).export()]))
  })
}

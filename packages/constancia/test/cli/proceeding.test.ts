import { describe, expect, it } from 'vitest'
import { GovernedProject } from './contracts.js'
import { both, pay } from './governed.mjs'
import { type Ended, rests, until } from './project.js'

const patience = { timeout: 300_000 }

/** What a command ended with, and what it said. */
function end({ code, stdout, stderr }: Ended): readonly [number | null, string] {
  return [code, `${stdout}${stderr}`]
}

/** A project whose runs `p1` and `p2` wait for a treasurer, and `b1` for two of them. */
async function asking(): Promise<GovernedProject> {
  const project = new GovernedProject()
  await project.settle()
  await project.working(async (runtime) => {
    await runtime.start(pay, { cents: 2_500 }, { id: 'p1', actor: 'ana' })
    await runtime.start(pay, { cents: 666 }, { id: 'p2', actor: 'ana' })
    await runtime.start(both, undefined, { id: 'b1', actor: 'bo' })
    for (const id of ['p1', 'p2', 'b1']) await rests(runtime, id, 'paused')
  })
  return project
}

async function shownBy(project: GovernedProject, words: readonly string[]): Promise<string> {
  return JSON.parse((await project.give(['approval', ...words, '--json'])).stdout).shown
}

describe('the next message of a user on the command line', patience, () => {
  it('R-E5 R-E7 C50: it lets a run go on that waits for it, of its actor alone; what waits for none is left as it is', async () => {
    const project = await asking()
    for (const op of ['0', '1']) {
      const shown = await shownBy(project, ['b1', op])
      expect((await project.give(['approve', 'b1', op, '--as', 'cy', '--shown', shown])).code).toBe(0)
    }
    await project.working(async (runtime) => {
      const waits = async (): Promise<boolean> =>
        (await runtime.run('b1').row()).waitingFor.some(({ kind }) => kind === 'message')
      await until(waits, 'it waits for a message')
    })
    const ended = await Promise.all([
      project.give(['proceed', 'b1']),
      project.give(['proceed', 'b1', '--as', 'ana']),
      project.give(['proceed', 'p1', '--as', 'ana']),
      project.give(['proceed', 'p', '--as', 'ana']),
      project.give(['proceed', 'gone', '--as', 'ana']),
      project.give(['proceed', '../b1', '--as', 'bo']),
    ])
    expect(ended.map(end)).toEqual([
      [2, expect.stringContaining('Who decides?')],
      [5, expect.stringContaining('[not_permitted]')],
      [0, 'Run p1 waits for no message. Nothing was done.\n'],
      [4, expect.stringContaining('fits 2 runs')],
      [3, expect.stringContaining('[unknown_run]')],
      [2, expect.stringContaining('[invalid_id]')],
    ])
    const gone = await project.give(['proceed', 'b1', '--as', 'bo', '--json'])
    expect([gone.code, JSON.parse(gone.stdout)]).toEqual([0, { run: 'b1', by: 'bo', kind: 'resumed' }])
  })
})

describe('decisions on the command line', patience, () => {
  it('C50: an id that is unknown, fits several or climbs out of its folder is refused, and nothing was done', async () => {
    const project = await asking()
    const digest = await shownBy(project, ['p1'])
    const commands = (run: string): string[][] => [
      ['approve', run, '--as', 'bo', '--shown', digest],
      ['reject', run, '--as', 'bo', '--shown', digest],
      ['withdraw', run, '--as', 'bo'],
      ['approval', run],
      ['outcome', run, '1', 'done', '--as', 'bo'],
    ]
    const codesOf = async (run: string): Promise<readonly (number | null)[]> =>
      (await Promise.all(commands(run).map((words) => project.give(words)))).map(({ code }) => code)
    expect(await codesOf('gone')).toEqual([3, 3, 3, 3, 3])
    expect(await codesOf('p')).toEqual([4, 4, 4, 4, 4])
    for (const bad of ['../p1', 'p1/../p2', 'p1%00', "p1' OR '1'='1"])
      expect(await codesOf(bad)).toEqual([2, 2, 2, 2, 2])
    const ops = await Promise.all([
      project.give(['approve', 'p1', '../0', '--as', 'bo', '--shown', digest]),
      project.give(['outcome', 'p1', '../0', 'done', '--as', 'bo']),
      project.give(['outcome', 'p1', '0', 'done', '--as', 'bo']),
    ])
    for (const { code } of ops) expect([2, 3, 5]).toContain(code)
    const left = await project.give(['approvals', '--json'])
    expect(left.stdout.split('\n').filter((line) => line !== '')).toHaveLength(4)
    for (const run of ['p1', 'p2', 'b1'])
      expect((await project.give(['journal', run])).stdout).not.toContain('ApprovalVoted')
  })

  it('C50: nothing is approved or rejected in bulk without a terminal: each has to be seen', async () => {
    const project = await asking()
    const ended = await Promise.all([
      project.give(['approve', 'p1', '--as', 'bo']),
      project.give(['reject', 'p1', '--as', 'bo']),
      project.give(['approve', '--all', '--yes', '--as', 'bo']),
      project.give(['approve', 'p1', '0', 'p2', '--as', 'bo']),
      project.give(['cancel', '--flow', 'pay']),
    ])
    expect(ended.map(({ code }) => code)).toEqual([8, 8, 2, 2, 8])
    const left = await project.give(['approvals', '--json'])
    expect(left.stdout.split('\n').filter((line) => line !== '')).toHaveLength(4)
  })
})

describe('export', patience, () => {
  it('R-F1 C50: writes who may what and what was refused as well, with all that their hashes cover', async () => {
    const project = await asking()
    await project.give(['grant', 'eve', 'treasurer', '--as', 'eve'])
    const alone = await project.give(['export', '--governance'])
    const lines = alone.stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
    const streams = lines.map(({ stream }) => stream)
    expect([...new Set(streams)]).toEqual(['governance', 'refusals'])
    expect(lines.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['ContractActivated', 'RoleGranted', 'ChangeRefused']),
    )
    expect(lines.every(({ hash }) => typeof hash === 'string')).toBe(true)
    const all = await project.give(['export', '--governance', '--all'])
    expect(all.stdout.startsWith(alone.stdout)).toBe(true)
    expect(all.stdout).toContain('"run/p1"')
    expect((await project.give(['export', 'p1'])).stdout).not.toContain('"governance"')
  })
})

import { describe, expect, it } from 'vitest'
import { Project, rests } from './project.js'

describe('constancia start', () => {
  it('C50: starts once, however often it is given with the same id', async () => {
    const project = new Project()
    project.write('input.json', '{"amount":5}')
    const words = ['start', 'pay', '--id', 'invoice-5', '--actor', 'ada']
    const [first, file, stdin] = [
      await project.run([...words, '{"amount":5}']),
      await project.run([...words, '--input-file', 'input.json']),
      await project.run([...words, '--input', '-', '--json'], { input: '{ "amount": 5 }' }),
    ]
    expect([first, file].map(({ code, stdout }) => [code, stdout])).toEqual(Array(2).fill([0, 'invoice-5\n']))
    expect(JSON.parse(stdin.stdout)).toMatchObject({ id: 'invoice-5', flow: 'pay', actor: 'ada', status: 'ready' })
    const [other, unknown, version] = await Promise.all([
      project.run([...words, '{"amount":6}']),
      project.run(['start', 'nothing']),
      project.run(['start', 'pay', '--version', '2']),
    ])
    expect([other.code, unknown.code, version.code]).toEqual([5, 3, 3])
    expect(unknown.stderr).toContain('It has astray@1, fail@1')
    await project.using(false, async (runtime) => {
      expect((await runtime.runs()).items).toHaveLength(1)
      expect((await runtime.run('invoice-5').events()).length).toBe(1)
    })
  })

  it('R-E13 has the caller told only where --notify says so', async () => {
    const project = new Project()
    const start = (id: string, ...words: string[]) =>
      project.run(['start', 'pay', '{"amount":5}', '--id', id, ...words])
    const codes = [await start('quiet'), await start('loud', '--notify')].map(({ code }) => code)
    expect(codes).toEqual([0, 0])
    await project.using(false, async (runtime) => {
      const tells = async (id: string): Promise<unknown> =>
        JSON.parse((await runtime.run(id).events())[0]?.body ?? '{}').tells
      expect([await tells('quiet'), await tells('loud')]).toEqual([undefined, true])
    })
  })

  it('C50: takes a priority, shows it where there is one, and refuses what is none', async () => {
    const project = new Project()
    const start = (id: string, ...words: string[]) =>
      project.run(['start', 'pay', '{"amount":5}', '--id', id, ...words])
    const [plain, urgent, later, half, far] = await Promise.all([
      start('plain'),
      start('urgent', '--priority', '10'),
      start('later', '--priority=-5'),
      start('half', '--priority', '0.5'),
      start('far', '--priority', '101'),
    ])
    expect([plain, urgent, later, half, far].map(({ code }) => code)).toEqual([0, 0, 0, 2, 2])
    expect(half.stderr).toContain('--priority takes a whole number')
    expect(far.stderr).toContain('from -100 to 100, but it was 101')
    const [runs, json, show, other, flow] = await Promise.all(
      [['runs'], ['runs', '--json'], ['show', 'urgent'], ['show', 'plain'], ['runs', '--flow', 'none']].map((words) =>
        project.run(words),
      ),
    )
    expect(runs!.stdout).toMatch(/RUN +FLOW +PRIORITY +STATUS/)
    expect(runs!.stdout).toMatch(/urgent +pay@1 +10 +ready/)
    expect(runs!.stdout).toMatch(/later +pay@1 +-5 +ready/)
    const priorities = json!.stdout
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { priority: number }).priority)
    expect(priorities.sort((a, b) => a - b)).toEqual([-5, 0, 10])
    expect(show!.stdout).toMatch(/\npriority +10\n/)
    expect(other!.stdout).not.toContain('priority')
    expect(flow!.stdout).not.toContain('PRIORITY')
  })

  it('C50: --wait works on the run and tells its end by the exit code', async () => {
    const project = new Project()
    const [done, failed, stuck] = await Promise.all([
      project.run(['start', 'flaky', '--wait', '--json', '--id', 'done']),
      project.run(['start', 'fail', '--wait', '--id', 'failed']),
      project.run(['start', 'astray', '--wait', '--id', 'stuck']),
    ])
    expect([done.code, JSON.parse(done.stdout)]).toEqual([
      0,
      expect.objectContaining({ id: 'done', output: { sent: true } }),
    ])
    expect([failed.code, failed.stdout]).toEqual([7, ''])
    expect(failed.stderr).toContain('PermanentError: no such account')
    expect([stuck.code, stuck.stdout]).toEqual([7, ''])
    expect(stuck.stderr).toContain('foreign_await')
  })

  it('C50: Ctrl-C ends the waiting and not the run: exit code 130', async () => {
    const project = new Project()
    const command = project.start(['start', 'pay', '{"amount":1}', '--id', 'long', '--wait'])
    await command.says('Run long is under way')
    const runtime = await project.open()
    await rests(runtime, 'long', 'waiting')
    command.child.kill('SIGINT')
    const ended = await command.ended
    expect([ended.code, ended.stdout]).toEqual([130, ''])
    expect(ended.stderr).toContain('goes on as soon as a worker is up')
    expect((await runtime.run('long').row()).status).toBe('waiting')
    await runtime.close()
  })
})

import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { describe, expect, it } from 'vitest'
import { rawConnection } from '../store/raw.js'
import { flows, pay } from './flows.mjs'
import { Project, rests, usualConfig } from './project.js'

const markedConfig = usualConfig.replace('flows: [...flows],', "flows: [...flows], mark: 'app.mark',")

/** A project whose database was restored from a copy that is older than its mark. */
async function restored(): Promise<Project> {
  const project = new Project(markedConfig)
  const backup = join(project.folder, 'backup')
  const runtime = await open({
    store: sqlite({ file: project.database }),
    flows,
    worker: { pollMs: 20, graceMs: 0 },
    mark: join(project.folder, 'app.mark'),
    log: () => undefined,
  })
  await runtime.start(pay, { amount: 1 }, { id: 'old' })
  await rests(runtime, 'old', 'waiting')
  const raw = rawConnection(project.database)
  raw.exec(`VACUUM INTO '${backup}'`)
  raw.close()
  await runtime.start(pay, { amount: 2 }, { id: 'new' })
  await runtime.close()
  for (const ending of ['-wal', '-shm']) rmSync(project.database + ending, { force: true })
  copyFileSync(backup, `${backup}.fresh`)
  renameSync(`${backup}.fresh`, project.database)
  return project
}

// Ten processes are started one after the other: a busy machine takes long for them.
describe('constancia quarantine', { timeout: 300_000 }, () => {
  it('C50 T8: says what is lost, does nothing unasked, and parks every open run once it is told to', async () => {
    const project = await restored()
    const [start, doctor, plan, unasked] = await Promise.all([
      project.run(['start', 'pay', '{"amount":3}', '--id', 'more']),
      project.run(['doctor']),
      project.run(['quarantine', '--dry-run']),
      project.run(['quarantine']),
    ])
    expect([start.code, start.stderr]).toEqual([10, expect.stringContaining('[store_rolled_back]')])
    expect([doctor.code, doctor.stdout]).toEqual([11, expect.stringContaining('has lost its newest part')])
    for (const { stderr } of [plan, unasked]) expect(stderr).toContain('Known to be missing: run new (event ')
    expect([plan.code, plan.stderr]).toEqual([
      0,
      expect.stringContaining('Would park 1 open run (1 waiting). Nothing was done'),
    ])
    expect([unasked.code, unasked.stderr]).toEqual([
      8,
      expect.stringContaining('About to park 1 open run (1 waiting).'),
    ])
    const done = await project.run(['quarantine', '--yes', '--json'])
    expect(done.code).toBe(0)
    expect(JSON.parse(done.stdout)).toMatchObject({
      parkedCount: 1,
      loss: { kind: 'behind', wholeUntilMs: expect.any(Number), missing: [{ run: 'new' }] },
    })
    const [again, show] = await Promise.all([
      project.run(['quarantine', '--yes']),
      project.run(['show', 'old', '--json']),
    ])
    expect([again.code, again.stderr]).toEqual([5, expect.stringContaining('[nothing_lost]')])
    expect(JSON.parse(show.stdout)).toMatchObject({ run: { stuck: { code: 'rolled_back' } } })
    const retry = await project.run(['retry', 'old', '--note', 'looked'])
    expect([retry.code, retry.stdout]).toEqual([0, expect.stringContaining('old')])
  })

  it('C50 T8: where nothing is known to be missing it takes --force', async () => {
    const project = new Project()
    await project.using({}, async (runtime) => {
      await runtime.start(pay, { amount: 1 }, { id: 'r1' })
      await rests(runtime, 'r1', 'waiting')
    })
    const refused = await project.run(['quarantine', '--yes'])
    expect([refused.code, refused.stdout]).toEqual([5, ''])
    const done = await project.run(['quarantine', '--yes', '--force'])
    expect([done.code, done.stdout]).toEqual([0, 'Parked 1 run. Workers go on; these runs once they are retried.\n'])
  })
})

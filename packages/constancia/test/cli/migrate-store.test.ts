import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { describe, expect, it } from 'vitest'
import { flaky, pay } from './flows.mjs'
import { Project, rests, usualConfig } from './project.js'

async function seeded(): Promise<Project> {
  const project = new Project()
  await project.using({}, async (runtime) => {
    await runtime.start(pay, { amount: 1 }, { id: 'waiting' })
    await runtime.start(flaky, undefined, { id: 'done' })
    await rests(runtime, 'waiting', 'waiting')
    await rests(runtime, 'done', 'completed')
  })
  return project
}

async function exportOf(project: Project, file = project.database): Promise<readonly string[]> {
  const runtime = await open({ store: sqlite({ file }), flows: [], worker: false })
  const lines = await Promise.all(['waiting', 'done'].map((id) => runtime.run(id).export()))
  await runtime.close()
  return lines.flat()
}

describe('constancia migrate-store', { timeout: 120_000 }, () => {
  it('R-A2: moves all of it, seals what it left, and takes a move back that was a mistake', async () => {
    const project = await seeded()
    const before = await exportOf(project)
    const unasked = await project.run(['migrate-store', '--to', 'sqlite:new.db'])
    expect([unasked.code, unasked.stdout]).toEqual([8, ''])
    expect(unasked.stderr).toMatch(/About to move 2 runs with \d+ events\n {2}from .*app\.db\n {2}to {3}.*new\.db/)
    const moved = await project.run(['migrate-store', '--to', 'sqlite:new.db', '--yes', '--json'])
    const places = { from: project.database, to: join(project.folder, 'new.db') }
    expect([moved.code, JSON.parse(moved.stdout)]).toEqual([0, expect.objectContaining({ ...places, runCount: 2 })])
    expect(await exportOf(project, places.to)).toEqual(before)
    const [refused, again] = await Promise.all([
      project.run(['runs']),
      project.run(['migrate-store', '--to', 'sqlite:newer.db', '--yes']),
    ])
    for (const { code, stdout, stderr } of [refused, again]) {
      expect([code, stdout]).toEqual([10, ''])
      expect(stderr).toMatch(/was moved to .*new\.db.*--undo \[store_moved\]/)
    }
    const undone = await project.run(['migrate-store', '--undo', '--yes'])
    expect([undone.code, undone.stdout]).toEqual([0, `${project.database} can be worked on.\n`])
    expect(undone.stderr).toContain('executed here again')
    expect(await exportOf(project)).toEqual(before)
  })

  it('R-A2: refuses what makes no sense, what is worked on and what is not empty, and leaves everything as it was', async () => {
    const project = await seeded()
    project.write('same.config.mjs', usualConfig)
    const other = await seeded()
    const runtime = await project.open({}) // A worker that holds no run is alive all the same.
    const words: readonly (readonly [number, string, string[]])[] = [
      [2, 'Where to?', ['--undo', '--to', 'sqlite:x.db']],
      [2, 'A target is', ['--to', 'mysql://me:secret@host/db']],
      [2, 'no folder', ['--to', 'sqlite:nowhere/x.db']],
      [2, 'the same database', ['--to', 'same.config.mjs']],
      [5, 'is not empty', ['--to', `sqlite:${other.database}`]],
      [5, '1 worker is alive', ['--to', 'sqlite:x.db']],
      [5, 'was not moved', ['--undo']],
    ]
    const ended = words.map(([, , given]) => project.run(['migrate-store', ...given, '--yes']))
    for (const [index, [code, reason, given]] of words.entries()) {
      const end = await ended[index]
      expect([given, end?.code, end?.stdout]).toEqual([given, code, ''])
      expect(end?.stderr).toContain(reason)
      expect(end?.stderr).not.toContain('secret')
    }
    await runtime.close()
    const missing = new Project()
    const found = await missing.run(['migrate-store', '--to', 'sqlite:x.db', '--yes'])
    expect([found.code, existsSync(missing.database)]).toEqual([10, false])
    for (const one of [project, other]) expect((await exportOf(one)).length).toBeGreaterThan(3)
  })
})

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rawConnection } from '../store/raw.js'
import { astray, fail, flaky, pay } from './flows.mjs'
import { Project, rests, usualConfig, usualName } from './project.js'

async function seeded(): Promise<Project> {
  const project = new Project()
  await project.using({}, async (runtime) => {
    await runtime.start(flaky, undefined, { id: 'done' })
    await runtime.start(fail, undefined, { id: 'failed' })
    await runtime.start(pay, { amount: 1 }, { id: 'waiting' })
    await rests(runtime, 'done', 'completed')
    await rests(runtime, 'failed', 'failed')
    await rests(runtime, 'waiting', 'waiting')
  })
  return project
}

describe('constancia export and purge', () => {
  it('C50: export writes all lines to a file that appears when it is whole, or to standard output', async () => {
    const project = await seeded()
    const [file, data, bad] = await Promise.all([
      project.run(['export', '--all', '-o', 'all.jsonl']),
      project.run(['export', 'done', 'failed']),
      project.run(['export', '--all', '-o', 'nowhere/all.jsonl']),
    ])
    expect([file.code, file.stdout, file.stderr]).toEqual([
      0,
      '',
      expect.stringMatching(/^Exported \d+ events of 3 runs\.\n$/),
    ])
    const lines = await project.using(false, async (runtime) => {
      const all = await Promise.all(['done', 'failed'].map((id) => runtime.run(id).export()))
      return all.flat()
    })
    expect(data.stdout).toBe(`${lines.join('\n')}\n`)
    for (const line of lines) expect(readFileSync(join(project.folder, 'all.jsonl'), 'utf8')).toContain(`${line}\n`)
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('[file_failed]')])
    expect(existsSync(join(project.folder, 'all.jsonl.part'))).toBe(false)
  })

  it('C50: purge takes ended runs of an age, asks first, and leaves the others', async () => {
    const project = await seeded()
    const [unasked, young] = await Promise.all([
      project.run(['purge', '--status', 'completed']),
      project.run(['purge', '--all', '--older-than', '30d', '--yes']),
    ])
    expect([unasked.code, unasked.stderr]).toEqual([
      8,
      expect.stringContaining('delete the journals of 1 run (1 completed)'),
    ])
    expect([young.code, young.stderr]).toEqual([0, 'No run fits. Nothing was done.\n'])
    const purged = await project.run(['purge', '--all', '--yes', '--json'])
    const lines = purged.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown)
    expect(purged.code).toBe(0)
    expect(lines).toEqual(
      expect.arrayContaining([
        { run: 'done', outcome: 'purged' },
        { run: 'failed', outcome: 'purged' },
      ]),
    )
    const rest = await project.using(false, async (runtime) => (await runtime.runs()).items.map(({ id }) => id))
    expect(rest).toEqual(['waiting'])
    expect((await project.run(['start', 'flaky', '--id', 'done'])).code).toBe(3)
  })
})

describe('constancia rebuild', () => {
  it('C50: refuses while a worker holds a run, and mends lists that were damaged', async () => {
    const project = await seeded()
    const before = (await project.run(['runs', '--json', '--status', 'completed,failed'])).stdout
    const raw = rawConnection(project.database)
    raw.exec("UPDATE runs SET outcome = 'failed', status = 'failed' WHERE id = 'done'")
    raw.exec(
      "UPDATE runs SET status = 'running', claim_id = 'c', worker = 'w-1', due_at = 99999999999999 WHERE id = 'waiting'",
    )
    const [held, unasked] = [await project.run(['rebuild', '--yes']), await project.run(['rebuild', '--force'])]
    expect([held.code, held.stderr]).toEqual([5, expect.stringContaining('1 worker hold runs (w-1)')])
    expect([unasked.code, unasked.stdout]).toEqual([8, ''])
    raw.close()
    const rebuilt = await project.run(['rebuild', '--force', '--yes'])
    expect([rebuilt.code, rebuilt.stdout]).toEqual([0, expect.stringMatching(/^Rebuilt 3 runs from \d+ events\.\n$/)])
    expect((await project.run(['runs', '--json', '--status', 'completed,failed'])).stdout).toBe(before)
  })
})

describe('constancia doctor', () => {
  it('C50: names what is wrong and what to do: stuck runs, runs without code, a journal that was changed: exit code 11', async () => {
    const project = await seeded()
    await project.using({}, async (runtime) => {
      await runtime.start(astray, undefined, { id: 'astray' })
      await rests(runtime, 'astray', 'stuck')
    })
    expect((await project.run(['doctor'])).stdout.replace(/\s+/g, ' ')).toMatch(
      /✗ 1 run stuck with foreign_await.*constancia retry --code foreign_await/,
    )
    const raw = rawConnection(project.database)
    raw.exec('DROP TRIGGER IF EXISTS events_update')
    for (const { name } of raw
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'events'")
      .all() as { name: string }[])
      raw.exec(`DROP TRIGGER ${name}`)
    raw.exec("UPDATE events SET body = replace(body, 'reserve', 'release') WHERE body LIKE '%reserve%'")
    raw.exec("UPDATE runs SET status = 'running', claim_id = 'c', worker = 'w', due_at = 1 WHERE id = 'waiting'")
    raw.close()
    project.write(usualName, usualConfig.replace('[...flows]', "flows.filter((flow) => flow.name !== 'astray')"))
    const [text, json] = await Promise.all([project.run(['doctor']), project.run(['doctor', '--json'])])
    expect([text.code, json.code]).toEqual([11, 11])
    expect(text.stdout).toContain('SQLite ')
    expect(text.stdout).toMatch(/runs +4 runs: 1 running, 1 stuck, 1 completed, 1 failed/)
    const { findings } = JSON.parse(json.stdout) as { findings: { code: string; what: string; todo: string }[] }
    expect(findings.map(({ code }) => code).sort()).toEqual(['journal_damaged', 'no_code', 'not_taken', 'stuck'])
    expect(findings.find(({ code }) => code === 'journal_damaged')?.what).toContain('run/waiting')
    for (const { todo } of findings) expect(todo.length).toBeGreaterThan(20)
  })
})

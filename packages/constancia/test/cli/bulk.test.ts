import { describe, expect, it } from 'vitest'
import { rawConnection } from '../store/raw.js'
import { pay } from './flows.mjs'
import { Project } from './project.js'

const count = 1_000

/** A thousand runs that nobody has begun with. */
async function crowded(): Promise<Project> {
  const project = new Project()
  await project.using(false, async (runtime) => {
    const starts = Array.from({ length: count }, (_, index) =>
      runtime.start(pay, { amount: index }, { id: `run-${index}` }),
    )
    await Promise.all(starts)
  })
  return project
}

/** How often each run was asked to cancel: counts of runs by counts of events. */
function askedCounts(project: Project): Promise<Record<number, number>> {
  return project.using(false, async (runtime) => {
    const counts: Record<number, number> = {}
    for (let index = 0; index < count; index += 1) {
      const events = await runtime.run(`run-${index}`).events()
      const asked = events.filter((event) => event.kind === 'CancelRequested').length
      counts[asked] = (counts[asked] ?? 0) + 1
    }
    return counts
  })
}

describe('cancelling a thousand runs', () => {
  it('C50: without a terminal and without --yes shows the count and a sample, and does nothing', async () => {
    const project = await crowded()
    const ended = await project.run(['cancel', '--flow', 'pay'])
    expect([ended.code, ended.stdout]).toEqual([8, ''])
    expect(ended.stderr).toMatch(/About to cancel 1,000 runs \(1,000 ready\):\n {2}run-\d+ {2}pay@1 {2}ready\n/)
    expect(ended.stderr).toContain('… and 995 more')
    expect(ended.stderr).toContain('add --yes')
    expect(await askedCounts(project)).toEqual({ 0: count })
  })

  it('C50: Ctrl-C ends it after what is under way and tells how far it came; given again it does the rest, once each', async () => {
    const project = await crowded()
    // Nobody can write while this connection does: the command hangs in its first actions.
    const lock = rawConnection(project.database)
    lock.exec('BEGIN IMMEDIATE')
    const command = project.start(['cancel', '--all', '--yes', '--json'])
    await command.says('About to cancel 1,000 runs')
    command.child.kill('SIGINT')
    await command.says('Stopping after what is under way')
    lock.exec('ROLLBACK')
    lock.close()
    const stopped = await command.ended
    const done = stopped.stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { outcome: string })
    expect(stopped.code).toBe(130)
    expect(done.length).toBeLessThan(20)
    expect(done.every(({ outcome }) => outcome === 'requested')).toBe(true)
    expect(stopped.stderr).toContain(`${(count - done.length).toLocaleString('en-US')} runs not reached`)
    expect(await askedCounts(project)).toEqual({
      0: count - done.length,
      ...(done.length > 0 ? { 1: done.length } : {}),
    })

    const again = await project.run(['cancel', '--all', '--yes'])
    expect([again.code, again.stdout]).toEqual([0, `Asked ${count - done.length} runs to cancel.\n`])
    expect(await askedCounts(project)).toEqual({ 1: count })
  })

  it('C50: what was confirmed is done although the reader of its output has left', async () => {
    const project = await crowded()
    const command = project.start(['cancel', '--all', '--yes', '--json'])
    command.child.stdout?.destroy()
    const ended = await command.ended
    expect(ended.code).toBe(0)
    expect(ended.stderr).toContain('Asked 1,000 runs to cancel.')
    expect(ended.stderr).not.toMatch(/EPIPE|Error/)
    expect(await askedCounts(project)).toEqual({ 1: count })
  })

  it('C50: --dry-run lists them as data and does nothing', async () => {
    const project = await crowded()
    const ended = await project.run(['cancel', '--all', '--dry-run'])
    expect([ended.code, ended.stdout.split('\n').length]).toEqual([0, count + 1])
    expect(await askedCounts(project)).toEqual({ 0: count })
  })
})

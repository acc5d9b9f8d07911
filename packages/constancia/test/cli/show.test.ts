import { describe, expect, it } from 'vitest'
import type { Entry } from '../../dist/cli/timeline.js'
import { flaky, order, pay, relay } from './flows.mjs'
import { Project, rests, until } from './project.js'

describe('constancia show', () => {
  it('C50: tells what was executed, what a later claim re-read, and what the run waits for', async () => {
    const project = new Project()
    await project.using({}, async (runtime) => {
      await runtime.start(pay, { amount: 7 }, { id: 'first', actor: 'ada' })
      await rests(runtime, 'first', 'waiting')
    })
    const waiting = await project.run(['show', 'first'])
    expect(waiting.code).toBe(0)
    expect(waiting.stdout).toMatch(/^first {2}pay@1 {2}waiting\nstarted .* as ada\n/)
    expect(waiting.stdout).toContain('waits for   signal "approved" (op 1)\n')
    await project.using({}, async (runtime) => {
      await runtime.run('first').signal('approved', { note: 'fine' }, { by: 'bob' })
      await rests(runtime, 'first', 'completed')
    })
    const [text, json] = await Promise.all([project.run(['show', 'first']), project.run(['show', 'first', '--json'])])
    const shown = text.stdout.split('\n').map((line) =>
      line
        .trim()
        .replace(/\+\d[\d.]* \w+( \d+ \w+)?/, '+…')
        .replace(/ +/g, ' '),
    )
    expect(shown.slice(shown.indexOf('') + 1)).toEqual([
      '0 - ▶ started pay@1 by ada { amount: 7 }',
      expect.stringMatching(/^── claim 1 executes from here ─+$/),
      `1 +… 0 ✓ step "reserve" done 'hold on 7'`,
      `2 +… - · signal "approved" arrived by bob { note: 'fine' }`,
      expect.stringMatching(/^── claim 2 re-read events 0–2, executes from here ─+$/),
      `3 +… 2 ✓ step "charge" done 'paid: hold on 7'`,
      `4 +… - ✓ completed 'paid: hold on 7'`,
      '',
    ])
    const { timeline } = JSON.parse(json.stdout) as { timeline: Entry[] }
    expect(timeline.map(({ seq, claim, reReadBy }) => [seq, claim, reReadBy])).toEqual([
      [0, undefined, [1, 2]],
      [1, 1, [2]],
      [2, undefined, [2]],
      [3, 2, []],
      [4, 2, []],
    ])
  })

  it('C50: shows failed attempts with their reason, children with their status, and signals that nobody read', async () => {
    const project = new Project()
    await project.using({}, async (runtime) => {
      await runtime.start(order, { amount: 1 }, { id: 'parent' })
      await runtime.start(flaky, undefined, { id: 'flaky' })
      await rests(runtime, 'flaky', 'completed')
      await until(
        async () => (await runtime.runs({ idPrefix: 'parent~' })).items[0]?.status === 'waiting',
        'the child waits',
      )
      await rests(runtime, 'parent', 'waiting')
      await runtime.run('parent').signal('other', 1)
      await rests(runtime, 'parent', 'waiting')
    })
    const [parent, child, tries, full] = await Promise.all([
      project.run(['show', 'parent']),
      project.run(['show', 'parent~0']),
      project.run(['show', 'flaky']),
      project.run(['show', 'flaky', '--full', '--last', '2']),
    ])
    expect(parent.stdout).toContain('children    1 (1 waiting)\n')
    expect(parent.stdout).toContain('signals     1, 1 of them unread\n')
    expect(parent.stdout).toContain('calls pay@1 as parent~0 (waiting)')
    expect(parent.stdout).toContain('signal "other" arrived by api, unread')
    expect(child.stdout).toContain('called by   parent, op 0\n')
    expect(tries.stdout).toMatch(/✗ step "send [^"]*" attempt 1 failed {2}no answer/)
    expect(tries.stdout).toMatch(/done \(attempt 2\) {2}\{ sent: t/)
    expect(full.stdout).toMatch(/2 events before\n[\s\S]*attempt 2\)\n {8}\{ sent: true \}\n/)
  })

  it('C50: knows the line of a run that went on as another, and retry and cancel reach the last of it', async () => {
    const project = new Project()
    await project.using({}, async (runtime) => {
      await runtime.start(relay, { leg: 0 }, { id: 'line' })
      await until(async () => (await runtime.run('line').row()).latest !== undefined, 'it went on')
      await rests(runtime, 'line~r1', 'waiting')
    })
    const [first, last] = await Promise.all([project.run(['show', 'line']), project.run(['show', 'line~r1'])])
    expect(first.stdout).toContain('went on as  line~r1\n')
    expect(last.stdout).toContain('began as    line\n')
    const cancelled = await project.run(['cancel', 'line', '--reason', 'no more'])
    expect([cancelled.code, cancelled.stdout]).toEqual([0, 'line~r1 was asked to cancel.\n'])
    const again = await project.run(['cancel', 'line'])
    expect([again.code, again.stdout]).toEqual([0, 'line~r1 was asked to cancel before; nothing was added.\n'])
  })

  it('C50: --follow shows what is added until the run has ended', async () => {
    const project = new Project()
    const runtime = await project.open({})
    try {
      await runtime.start(pay, { amount: 7 }, { id: 'first' })
      await rests(runtime, 'first', 'waiting')
      const command = project.start(['show', 'first', '--follow'])
      await until(() => command.stdout.includes('step "reserve" done'), 'the beginning is shown')
      await runtime.run('first').signal('approved')
      const ended = await command.ended
      expect(ended.code).toBe(0)
      expect(ended.stdout.match(/step "reserve" done/g)).toHaveLength(1)
      expect(ended.stdout).toMatch(/step "charge" done.*\n.*✓ completed/)
    } finally {
      await runtime.close()
    }
  })
})

import { describe, expect, it } from 'vitest'
import { requireShown } from '../../dist/cli/asked.js'
import { shownDigestOf } from '../../dist/governance/index.js'
import { GovernedProject } from './contracts.js'
import { both, pay } from './governed.mjs'
import { type Ended, rests } from './project.js'

// Many processes are started: a busy machine takes long for them.
const patience = { timeout: 300_000 }

/** What a command ended with, and what it said. */
function end({ code, stdout, stderr }: Ended): readonly [number | null, string] {
  return [code, `${stdout}${stderr}`]
}

function lines(stdout: string): readonly Record<string, unknown>[] {
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/** A project whose runs `p1`, `p2` and `b1` wait for people. */
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

/** The digest of what a run asks for. */
async function shownBy(project: GovernedProject, run: string): Promise<string> {
  return JSON.parse((await project.give(['approval', run, '--json'])).stdout).shown
}

describe('approvals on the command line', patience, () => {
  it('R-D9: what waits for people is listed, and shown exactly as it is decided on', async () => {
    const project = await asking()
    const [listed, mine, shown, text] = await Promise.all([
      project.give(['approvals', '--json']),
      project.give(['approvals', '--principal', 'ana', '--flow', 'pay']),
      project.give(['approval', 'p1', '--json']),
      project.give(['approval', 'p2']),
    ])
    expect(
      lines(listed.stdout)
        .map(({ run, op, name }) => [run, op, name])
        .sort(),
    ).toEqual([
      ['b1', '0', 'begin'],
      ['b1', '1', 'end'],
      ['p1', '0', 'treasury'],
      ['p2', '0', 'treasury'],
    ])
    expect([mine.stdout, mine.stderr]).toEqual(['', 'Nothing waits for people.\n'])
    const approval = JSON.parse(shown.stdout)
    expect(approval).toMatchObject({
      state: 'open',
      action: 'bank.transfer',
      actor: 'ana',
      rolesAsked: ['treasurer'],
      votes: [],
    })
    expect(JSON.parse(approval.shownText)).toMatchObject({ input: '{"to":"acme","cents":2500}' })
    expect(text.stdout).toMatch(
      /^Pay a vendor \(bank\.transfer\) {2}open\n[\s\S]*input +\{ to: 'acme', cents: 666 \}[\s\S]*digest +[0-9a-f]{64}\n/,
    )
  })

  it('R-D3 R-D6 C50: who may not, what was not seen and what is not there is refused, each with its reason', async () => {
    const project = await asking()
    const digest = await shownBy(project, 'p1')
    const wrong = await Promise.all([
      project.give(['approve', 'p1', '--as', 'bo']),
      project.give(['approve', 'p1', '--shown', digest]),
      project.give(['approve', 'p1', '--as', 'bo', '--shown', 'f'.repeat(64)]),
      project.give(['approve', 'p1', '--as', 'ana', '--shown', digest]),
      project.give(['approve', 'p1', '--as', 'nobody', '--shown', digest]),
      project.give(['approve', 'p1', '7', '--as', 'bo', '--shown', digest]),
      project.give(['approve', 'b1', '--as', 'cy', '--shown', digest]),
      project.give(['approve', 'p', '--as', 'bo', '--shown', digest]),
      project.give(['reject', 'gone', '--as', 'bo', '--shown', digest]),
      project.give(['approve', 'p1', '--as', 'bo', '--shown', digest, '--amend', '-'], { input: '{"cents":"all"}' }),
      project.give(['withdraw', 'p1', '--as', 'bo']),
    ])
    expect(wrong.map(end)).toEqual([
      [8, expect.stringMatching(/Nobody approves what they did not see.*constancia approval p1 0/)],
      [2, expect.stringContaining('Who decides?')],
      [5, expect.stringMatching(/something else than what is shown.*\[vote_refused\]/)],
      [5, expect.stringMatching(/treasurer; this voter does not now.*\[vote_refused\]/)],
      [5, expect.stringContaining('[vote_refused]')],
      [3, expect.stringContaining('[unknown_approval]')],
      [4, expect.stringMatching(/asked for 2 approvals[\s\S]* 0 {2}"begin" {2}May it begin\?/)],
      [4, expect.stringContaining('fits 2 runs')],
      [3, expect.stringContaining('[unknown_run]')],
      [5, expect.stringMatching(/does not fit its schema[\s\S]*\[vote_refused\]/)],
      [5, expect.stringContaining('no such vote')],
    ])
  })

  it('R-D5 R-D6 R-D8: a vote by the digest decides, once, and the run tells what was authorised', async () => {
    const project = await asking()
    const digest = await shownBy(project, 'p1')
    const vote = [
      'approve',
      'p1',
      '--as',
      'bo',
      '--shown',
      digest,
      '--note',
      'checked',
      '--amend',
      'less.json',
      '--delivery',
      'mail-1',
      '--json',
    ]
    project.write('less.json', '{"to":"acme","cents":2400}')
    const taken = await project.run(vote)
    expect([taken.code, JSON.parse(taken.stdout)]).toMatchObject([
      0,
      { voter: 'bo', roles: ['treasurer'], resolution: 'approved' },
    ])
    const again = await project.give(vote)
    const late = await project.give(['reject', 'p1', '--as', 'cy', '--shown', digest])
    const [refusals, others] = await Promise.all([
      project.give(['refusals', '--run', 'p1', '--json']),
      project.give(['refusals', '--run', 'p2']),
    ])
    expect([others.stdout, others.stderr]).toEqual(['', 'Nothing was refused.\n'])
    expect([again.code, again.stdout]).toEqual([0, taken.stdout])
    expect(end(late)).toEqual([5, expect.stringContaining('It is decided: approved.')])
    expect(lines(refusals.stdout)).toMatchObject([{ kind: 'VoteRefused', body: { code: 'resolved_already' } }])
    await project.working((runtime) => rests(runtime, 'p1', 'completed'))
    const [run, gone] = await Promise.all([
      project.give(['show', 'p1', '--json']),
      project.give(['approvals', '--flow', 'pay', '--json']),
    ])
    expect(lines(gone.stdout).map(({ run: id }) => id)).toEqual(['p2'])
    expect(JSON.parse(run.stdout).timeline.map(({ text: told }: { text: string }) => told)).toEqual([
      'started pay@1',
      'asks treasurer: "treasury" (bank.transfer), within 4 d',
      'approved with changes as treasurer',
      '"treasury" approved with changes',
      'may go on: its actor holds analyst',
      'authorised "bank.transfer": rule 2, analyst, op 0 approved',
      '"bank.transfer" done',
      'tells the user "paid" in en',
      'completed',
    ])
  })

  it('R-D5 C50: without a digest it shows what would be decided and asks; only yes is yes', async () => {
    const project = new GovernedProject()
    await project.settle()
    await project.working(async (runtime) => {
      await runtime.start(pay, { cents: 2_500 }, { id: 'p1', actor: 'ana' })
      await rests(runtime, 'p1', 'paused')
    })
    const no = await project.give(['approve', 'p1', '--as', 'bo'], { answer: 'no' })
    expect(end(no)).toEqual([
      8,
      expect.stringMatching(/input +\{ to: 'acme', cents: 2500 \}[\s\S]*Approve exactly this as bo\? \[y\/N\]/),
    ])
    const yes = await project.give(['reject', 'p1', '--as', 'bo', '--note', 'too much'], { answer: 'yes' })
    expect([yes.code, yes.stdout]).toEqual([
      0,
      expect.stringMatching(/vote of bo as treasurer counts .* it is rejected\.\n$/),
    ])
    const eyes = { contract: { version: '8' }, answer: 'y' }
    expect(end(await project.give(['contract', 'activate', '--as', 'ada'], eyes))).toEqual([
      0,
      expect.stringContaining('Put treasury 8 in force? [y/N]'),
    ])
    await project.working((runtime) => rests(runtime, 'p1', 'completed'))
  })

  it('R-D5: what is shown is not decided on where its digest says something else', async () => {
    const run = { id: 'p1' }
    const shownText = '{"action":null,"title":"","schema":null,"input":null,"question":"May it?"}'
    const shown = shownDigestOf('p1' as never, '0' as never, shownText)
    const asked = (text: string) => ({ run, op: '0', approval: { shownText: text, request: { shown } } }) as never
    expect(() => requireShown(asked(shownText))).not.toThrow()
    expect(() => requireShown(asked(shownText.replace('it', 'that')))).toThrow(/not what its digest says/)
  })

  it('R-B6: somebody states what came of an effect whose outcome nobody knows, once', async () => {
    const project = new GovernedProject()
    await project.settle()
    await project.working(async (runtime) => {
      await runtime.start(pay, { cents: 666 }, { id: 'p2', actor: 'ana' })
      await rests(runtime, 'p2', 'paused')
      const [asked] = (await runtime.run('p2').events()).filter(({ kind }) => kind === 'ApprovalRequested')
      const { shown } = JSON.parse(asked!.body)
      await project.governing((governance) =>
        governance.vote({ run: 'p2', op: '0', voter: 'bo', choice: 'approve', shown }),
      )
      await project.inDoubt(runtime, 'p2')
    })
    const [listed, show, word, nobody, odd] = await Promise.all([
      project.give(['approvals', '--json']),
      project.give(['show', 'p2']),
      project.give(['outcome', 'p2', '1', 'perhaps', '--as', 'bo']),
      project.give(['outcome', 'p2', '1', 'done', '--as', 'ana', '--output', '{"receipt":"r-1"}']),
      project.give(['outcome', 'p2', '1', 'done', '--as', 'bo', '--output', '{"receipt":1}']),
    ])
    expect(lines(listed.stdout)).toMatchObject([{ kind: 'statement', run: 'p2', op: '1', rolesAsked: ['treasurer'] }])
    expect(show.stdout).toMatch(
      /waits for +somebody to say what came of "bank\.transfer" \(op 1\)\nto do +constancia outcome p2 1 /,
    )
    expect(end(word)).toEqual([2, expect.stringContaining('done, not-done or failed')])
    expect(end(nobody)).toEqual([5, expect.stringContaining('[vote_refused]')])
    expect(end(odd)).toEqual([5, expect.stringContaining('does not fit its schema')])
    const said = await project.give([
      'outcome',
      'p2',
      '1',
      'done',
      '--as',
      'bo',
      '--output',
      '{"receipt":"r-1"}',
      '--note',
      'in their list',
    ])
    expect(end(said)).toEqual([0, 'Op 1 of p2 is done, as bo says (treasurer).\n'])
    const again = await project.give(['outcome', 'p2', '1', 'failed', '--as', 'bo'])
    expect(end(again)).toEqual([5, expect.stringContaining('What stands: done')])
    await project.working((runtime) => rests(runtime, 'p2', 'completed'))
  })
})

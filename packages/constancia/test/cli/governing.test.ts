import { describe, expect, it } from 'vitest'
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

describe('roles on the command line', patience, () => {
  it('R-D3 R-F1 C50: from the first administrator to a company directory: who may changes them, who may not is refused and recorded', async () => {
    const project = new GovernedProject()
    const early = await project.run(['grant', 'ana', 'analyst'])
    expect(end(early)).toEqual([
      10,
      expect.stringMatching(/no database[\s\S]*constancia bootstrap[\s\S]*\[store_missing\]/),
    ])
    const first = await project.run(['bootstrap', 'ada'])
    expect(end(first)).toEqual([0, 'ada is administrator.\n'])
    const [second, unasked] = await Promise.all([
      project.give(['bootstrap', 'eve']),
      project.give(['contract', 'activate', '--as', 'ada']),
    ])
    expect(end(second)).toEqual([5, expect.stringContaining('[not_permitted]')])
    expect(end(unasked)).toEqual([
      8,
      expect.stringMatching(/treasury 7, digest [0-9a-f]{64}, would be the first[\s\S]*add --yes/),
    ])
    const activated = await project.run(['contract', 'activate', '--as', 'ada', '--yes', '--json'])
    expect([activated.code, JSON.parse(activated.stdout)]).toMatchObject([
      0,
      { kind: 'activated', approvedBy: ['ada'] },
    ])

    project.write('staff.csv', 'principal,role,until\nbo,treasurer,\ncy,treasurer,2099-01-01T00:00:00Z\n')
    project.write('broken.csv', 'principal,role\nbo,treasurer\nbo,treasurer\n')
    const ended = await Promise.all([
      project.give(['grant', 'ana', 'analyst', '--as', 'ada', '--until', '90d', '--reason', 'hired']),
      project.give(['grant', 'eve', 'treasurer', '--as', 'eve']),
      project.give(['grant', 'ana', 'king', '--as', 'ada']),
      project.give(['grant', 'ana', 'analyst', '--as', 'ada', '--until', '2026-02-30']),
      project.give(['grant', 'a b', 'analyst', '--as', 'ada']),
      project.give(['delegate', 'bo', 'dee', 'treasurer', '--as', 'bo']),
      project.give(['revoke', 'ada', 'administrator', '--as', 'ada']),
      project.give(['roles', 'import', 'broken.csv', '--source', 'ldap', '--as', 'ada']),
      project.give(['roles', 'import', 'staff.csv', '--source', 'ldap', '--as', 'ada', '--dry-run', '--json']),
    ])
    expect(ended.map(end)).toEqual([
      [0, expect.stringMatching(/^ana holds analyst until \d{4}-/)],
      [5, expect.stringContaining('[not_permitted]')],
      [2, expect.stringContaining('There is no role "king"')],
      [2, expect.stringContaining('--until takes a day')],
      [2, expect.stringContaining('[invalid_id]')],
      [2, expect.stringContaining('A delegation has an end')],
      [5, expect.stringContaining('[last_administrator]')],
      [2, expect.stringMatching(/1 mistake[\s\S]* line 3: /)],
      [0, expect.stringMatching(/"changed":false,"granted":\[\{"principal":"bo"/)],
    ])
    const imported = await project.run(['roles', 'import', 'staff.csv', '--source', 'ldap', '--as', 'ada', '--yes'])
    expect([imported.code, imported.stdout]).toEqual([
      0,
      '+ bo treasurer\n+ cy treasurer until 2099-01-01 00:00:00 UTC\n',
    ])
    const delegated = await project.give(['delegate', 'bo', 'dee', 'treasurer', '--as', 'bo', '--until', '2w'])
    expect(end(delegated)).toEqual([0, expect.stringContaining('dee may decide as treasurer in the place of bo')])

    const [held, history, refusals] = await Promise.all([
      project.give(['roles', '--role', 'treasurer', '--json']),
      project.give(['roles', 'history', '--principal', 'ana']),
      project.give(['refusals', '--json']),
    ])
    expect(lines(held.stdout)).toMatchObject([
      { principal: 'bo', source: 'ldap', untilMs: null },
      { principal: 'cy', source: 'ldap', untilMs: Date.UTC(2099, 0, 1) },
      { principal: 'dee', source: 'delegation', from: 'bo' },
    ])
    expect(history.stdout).toMatch(/ada {2}ana got analyst until .*\n {2}hired\n$/)
    expect(lines(refusals.stdout).map(({ by, body }) => [by, (body as { code: string }).code])).toEqual(
      expect.arrayContaining([
        ['principal:eve', 'not_permitted'],
        ['principal:ada', 'last_administrator'],
      ]),
    )
    expect(lines(refusals.stdout)).toHaveLength(3)
  })

  it('R-F1 R-F6: under four eyes a contract is proposed by one and confirmed by another, who sees what changes', async () => {
    const project = new GovernedProject()
    await project.settle()
    const eyes = { contract: { version: '8', eyes: 2 } }
    const next = { contract: { version: '9', eyes: 2, quorum: 2 } }
    expect(end(await project.give(['contract', 'activate', '--as', 'ada', '--yes'], eyes))).toEqual([
      0,
      expect.stringContaining('treasury 8 is in force'),
    ])
    const proposed = await project.give(['contract', 'activate', '--as', 'ada', '--yes', '--json'], next)
    const { digest } = JSON.parse(proposed.stdout)
    expect(JSON.parse(proposed.stdout)).toMatchObject({ kind: 'proposed', confirmedBy: ['ada'], quorum: 2 })
    const [unasked, wrong, other, diff] = await Promise.all([
      project.give(['contract', 'confirm', '--as', 'al']),
      project.give(['contract', 'confirm', 'abcd', '--as', 'al', '--yes']),
      project.give(['contract', 'confirm', digest, '--as', 'bo']),
      project.give(['contract', 'diff', '--json'], next),
    ])
    expect(end(unasked)).toEqual([
      8,
      expect.stringMatching(
        /behavioural rules for bank\.transfer changed[\s\S]*\+ .* 2 different people[\s\S]*\[unconfirmed\]/,
      ),
    ])
    expect(end(wrong)).toEqual([3, expect.stringContaining('[unknown_contract]')])
    expect(end(other)).toEqual([5, expect.stringContaining('[not_permitted]')])
    expect([diff.code, JSON.parse(diff.stdout)]).toMatchObject([
      14,
      { before: { version: '8' }, after: { version: '9', digest } },
    ])
    const confirmed = await project.give(['contract', 'confirm', digest, '--as', 'al', '--reason', 'read it'])
    expect(end(confirmed)).toEqual([0, 'treasury 9 is in force, as ada and al wanted it.\n'])
    const [history, show, old] = await Promise.all([
      project.give(['contract', 'history', '--json']),
      project.give(['contract', 'show', 'in-force', '--format', 'html']),
      project.give(['contract', 'show', '--json']),
    ])
    expect(
      lines(history.stdout)
        .map(({ kind, by }) => `${kind} ${by}`)
        .slice(-4),
    ).toEqual(['proposed principal:ada', 'confirmed principal:ada', 'confirmed principal:al', 'activated principal:al'])
    expect(show.stdout).toMatch(/<dt>In force<\/dt><dd>since /)
    expect(JSON.parse(old.stdout).standing).toMatchObject({ kind: 'was_in_force', inForce: { version: '9', digest } })
  })
})

describe('approvals on the command line', patience, () => {
  it('R-D3 R-D5 R-D6 R-D9: what is asked is shown exactly, and decided by its digest, or refused with the reason', async () => {
    const project = new GovernedProject()
    await project.settle()
    await project.working(async (runtime) => {
      await runtime.start(pay, { cents: 2_500 }, { id: 'p1', actor: 'ana' })
      await runtime.start(pay, { cents: 666 }, { id: 'p2', actor: 'ana' })
      await runtime.start(both, undefined, { id: 'b1', actor: 'bo' })
      for (const id of ['p1', 'p2', 'b1']) await rests(runtime, id, 'paused')
    })
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

    const digest = approval.shown as string
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
    const [again, late, refusals] = await Promise.all([
      project.give(vote),
      project.give(['reject', 'p1', '--as', 'cy', '--shown', digest]),
      project.give(['refusals', '--run', 'p1', '--json']),
    ])
    expect([again.code, again.stdout]).toEqual([0, taken.stdout])
    expect(end(late)).toEqual([5, expect.stringContaining('It is decided: approved.')])
    expect(lines(refusals.stdout).length).toBeGreaterThanOrEqual(5)
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

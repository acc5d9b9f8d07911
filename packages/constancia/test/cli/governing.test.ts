import { describe, expect, it } from 'vitest'
import { GovernedProject } from './contracts.js'
import type { Ended } from './project.js'

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
  it('R-F1 C50: the first administrator is made once, and puts the first contract in force', async () => {
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
  })

  it('R-D3 R-F1 C50: who may changes roles, who may not is refused and recorded, what makes no sense is refused', async () => {
    const project = new GovernedProject()
    await project.settle()
    project.write('broken.csv', 'principal,role\nbo,treasurer\nbo,treasurer\n')
    const ended = await Promise.all([
      project.give(['grant', 'di', 'analyst', '--as', 'ada', '--until', '90d', '--reason', 'hired']),
      project.give(['grant', 'eve', 'treasurer', '--as', 'eve']),
      project.give(['grant', 'ana', 'king', '--as', 'ada']),
      project.give(['grant', 'ana', 'analyst', '--as', 'ada', '--until', '2026-02-30']),
      project.give(['grant', 'a b', 'analyst', '--as', 'ada']),
      project.give(['delegate', 'bo', 'dee', 'treasurer', '--as', 'bo']),
      project.give(['delegate', 'bo', 'dee', 'treasurer', '--as', 'cy', '--until', '1d']),
      project.give(['roles', 'import', 'broken.csv', '--source', 'ldap', '--as', 'ada']),
    ])
    expect(ended.map(end)).toEqual([
      [0, expect.stringMatching(/^di holds analyst until \d{4}-/)],
      [5, expect.stringContaining('[not_permitted]')],
      [2, expect.stringContaining('There is no role "king"')],
      [2, expect.stringContaining('--until takes a day')],
      [2, expect.stringContaining('[invalid_id]')],
      [2, expect.stringContaining('A delegation has an end')],
      [5, expect.stringContaining('[not_permitted]')],
      [2, expect.stringMatching(/1 mistake[\s\S]* line 3: /)],
    ])
    const [history, refusals] = await Promise.all([
      project.give(['roles', 'history', '--principal', 'di']),
      project.give(['refusals', '--json']),
    ])
    expect(history.stdout).toMatch(/ada {2}di got analyst until .*\n {2}hired\n$/)
    expect(
      lines(refusals.stdout)
        .map(({ by, body }) => [by, (body as { change: string }).change])
        .sort(),
    ).toEqual([
      ['principal:cy', 'delegate'],
      ['principal:eve', 'grant'],
    ])
  })

  it('R-D3 R-F1: roles come from a company directory and from whoever is away, and are told with where they come from', async () => {
    const project = new GovernedProject()
    await project.settle()
    project.write('staff.csv', 'principal,role,until\nbo,treasurer,\nfa,treasurer,2099-01-01T00:00:00Z\n')
    const words = ['roles', 'import', 'staff.csv', '--source', 'ldap', '--as', 'ada']
    const [preview, unasked] = await Promise.all([
      project.give([...words, '--dry-run', '--json']),
      project.give([...words, '--replace']),
    ])
    expect([preview.code, JSON.parse(preview.stdout)]).toMatchObject([
      0,
      { changed: false, granted: [{}, {}], revoked: [] },
    ])
    expect(end(unasked)).toEqual([8, expect.stringMatching(/\+ bo treasurer[\s\S]*or --dry-run to list the changes/)])
    const imported = await project.run([...words, '--yes'])
    expect([imported.code, imported.stdout]).toEqual([
      0,
      '+ bo treasurer\n+ fa treasurer until 2099-01-01 00:00:00 UTC\n',
    ])
    expect(end(await project.give(['revoke', 'cy', 'treasurer', '--as', 'ada']))).toEqual([
      0,
      'cy does not hold treasurer.\n',
    ])
    const delegated = await project.give(['delegate', 'bo', 'dee', 'treasurer', '--as', 'bo', '--until', '2w'])
    expect(end(delegated)).toEqual([0, expect.stringContaining('dee may decide as treasurer in the place of bo')])
    const held = await project.give(['roles', '--role', 'treasurer', '--json'])
    expect(lines(held.stdout)).toMatchObject([
      { principal: 'bo', source: 'direct', untilMs: null },
      { principal: 'bo', source: 'ldap', untilMs: null },
      { principal: 'dee', source: 'delegation', from: 'bo' },
      { principal: 'fa', source: 'ldap', untilMs: Date.UTC(2099, 0, 1) },
    ])
  })

  it('R-F1 R-F6: under four eyes a contract is proposed by one and confirmed by another, who sees what changes', async () => {
    const project = new GovernedProject()
    await project.settle()
    const mistyped = { contract: { version: '8', when: 'input.cent <= 100' } }
    expect(end(await project.give(['contract', 'activate', '--as', 'ada', '--yes'], mistyped))).toEqual([
      2,
      expect.stringMatching(/rule 1 \(bank\.transfer\): The condition input\.cent [\s\S]*\[invalid_contract\]/),
    ])
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

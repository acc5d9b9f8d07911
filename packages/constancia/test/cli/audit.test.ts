import { describe, expect, it } from 'vitest'
import { csvLine } from '../../dist/cli/csv.js'
import { parsePast } from '../../dist/cli/durations.js'
import { GovernedProject } from './contracts.js'
import { pay } from './governed.mjs'
import { rests } from './project.js'

// Everything is done in this process, but a busy machine takes long for it.
const patience = { timeout: 300_000 }

interface Row {
  readonly question: string
  readonly outcome: string
}

function rowsOf(stdout: string): readonly Row[] {
  return stdout.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)]))
}

/** Run `p1` was amended and paid, `p2` rejected with words that a spreadsheet would execute, `p3` left everybody in doubt. */
async function decided(): Promise<GovernedProject> {
  const project = new GovernedProject()
  await project.settle()
  await project.working(async (runtime) => {
    const cents = { p1: 2_500, p2: 700, p3: 666 }
    for (const [id, amount] of Object.entries(cents)) await runtime.start(pay, { cents: amount }, { id, actor: 'ana' })
    for (const id of Object.keys(cents)) await rests(runtime, id, 'paused')
  })
  const vote = async (words: readonly string[], run: string): Promise<void> => {
    const { shown } = JSON.parse((await project.give(['approval', run, '--json'])).stdout)
    await project.give([...words, '--shown', shown])
  }
  project.write('less.json', '{"to":"acme","cents":2400}')
  await vote(['approve', 'p1', '--as', 'ana'], 'p1')
  await vote(['approve', 'p1', '--as', 'bo', '--amend', 'less.json', '--note', 'a rebate, "agreed"'], 'p1')
  await vote(['reject', 'p2', '--as', 'cy', '--note', '=HYPERLINK("x")'], 'p2')
  await vote(['approve', 'p3', '--as', 'bo'], 'p3')
  await project.working(async (runtime) => {
    await rests(runtime, 'p1', 'completed')
    await rests(runtime, 'p2', 'completed')
    await rests(runtime, 'p3', 'paused')
  })
  await project.give(['outcome', 'p3', '1', 'not-done', '--as', 'bo'])
  return project
}

describe('constancia audit', patience, () => {
  it('R-D5: tells who decided what, by which role, after how long, what was done, what went on and what was refused', async () => {
    const project = await decided()
    const [all, table, csv] = [
      await project.give(['audit', '--json']),
      await project.give(['audit', 'decisions', '--role', 'treasurer', '--until', '2099-01-01']),
      await project.give(['audit', 'decisions', 'refusals', '--csv']),
    ]
    const rows = rowsOf(all.stdout)
    const about = (run: string): readonly unknown[] =>
      rows.filter((row) => (row as unknown as { run: string }).run === run)
    const waitedMs = expect.any(Number)
    expect(about('p1')).toMatchObject([
      {
        question: 'decisions',
        by: 'bo',
        roles: ['treasurer'],
        outcome: 'approve with changes',
        waitedMs,
        op: '0',
        subject: 'bank.transfer',
        note: 'a rebate, "agreed"',
      },
      { question: 'decisions', by: '', roles: [], outcome: 'approved', waitedMs, flow: 'pay' },
      { question: 'resumes', by: 'ana', roles: ['analyst'], outcome: 'resumed', waitedMs },
      { question: 'actions', by: 'ana', roles: ['analyst'], outcome: 'authorized', op: '1', waitedMs: null },
      { question: 'actions', by: 'ana', outcome: 'completed', waitedMs },
      { question: 'refusals', by: 'ana', outcome: 'role_missing', subject: 'approve', op: '0' },
    ])
    expect(about('p2').slice(0, 2)).toMatchObject([{ by: 'cy', outcome: 'reject' }, { outcome: 'rejected' }])
    const stated = rows.filter(({ outcome }) => ['unknown', 'not-done'].includes(outcome))
    expect(stated).toMatchObject([
      { question: 'actions', by: 'ana', run: 'p3' },
      { question: 'decisions', by: 'bo', roles: ['treasurer'], run: 'p3', waitedMs },
    ])
    expect(table.stdout).toMatch(/^WHEN +RUN +WHO +AS +OUTCOME +AFTER\n/)
    expect(table.stdout).toMatch(
      / p1 +bo +treasurer +approve with changes +\d+ (s|min)\n {2}bank\.transfer, op 0: a rebate, "agreed"\n/,
    )
    expect(table.stdout).not.toMatch(/resumed|approved\b/)
    const [titles, ...fields] = csv.stdout.trimEnd().split('\n')
    expect(titles).toBe('question,at,run,flow,op,subject,by,roles,outcome,waited_ms,note')
    expect(fields.join('\n')).toMatch(
      /^decisions,2\d{3}-[^,]+Z,p1,pay,0,bank\.transfer,bo,treasurer,approve with changes,\d+,"a rebate, ""agreed"""$/m,
    )
    expect(fields.join('\n')).toMatch(/reject,\d+,"'=HYPERLINK\(""x""\)"$/m)
    expect(fields.join('\n')).toMatch(/^refusals,/m)
  })

  it('C50: picks by principal, time and flow, says where there is no answer, and refuses what makes no sense', async () => {
    const project = await decided()
    const of = async (...words: readonly string[]): Promise<readonly string[]> =>
      rowsOf((await project.give(['audit', ...words, '--json'])).stdout).map(({ outcome }) => outcome)
    expect(await of('decisions', '--principal', 'cy')).toEqual(['reject'])
    expect(await of('decisions', '--since', '1d', '--flow', 'pay@1', '--principal', 'cy')).toEqual(['reject'])
    expect(await of('--until', '1d')).toEqual([])
    expect(await of('--flow', 'pay@2')).toEqual([])
    expect(await of('refusals')).toEqual(['role_missing'])
    const few = await project.give(['audit', '-n', '2'])
    expect([few.stdout.trimEnd().split('\n').length > 2, few.stderr]).toEqual([
      true,
      'There are more; --limit or --all shows them.\n',
    ])
    const ends = await Promise.all([
      project.give(['audit', '--principal', 'nobody']),
      project.give(['audit', 'everything']),
      project.give(['audit', '--since', 'soon']),
      project.give(['audit', '--csv', '--json']),
    ])
    expect(ends.map(({ code, stdout, stderr }) => [code, stdout, stderr])).toEqual([
      [0, '', 'The journals have no answer to that.\n'],
      [
        2,
        '',
        expect.stringContaining(
          'There is no question "everything"; there are: decisions, actions, resumes, refusals, erasures.',
        ),
      ],
      [2, '', expect.stringContaining('or so long ago, such as')],
      [2, '', expect.stringContaining('Either --csv or --json')],
    ])
  })

  it('a field of CSV is quoted where it must be, and nothing in it is a formula', () => {
    expect(csvLine(['a', 'b,c', 'say "no"', 'two\nlines', '', '=1+1', '-5', '@x', '+1'])).toBe(
      `a,"b,c","say ""no""","two\nlines",,'=1+1,'-5,'@x,'+1`,
    )
  })

  it('a moment in the past is a day, a time, or so long ago', () => {
    expect(parsePast('2d', '--since', 200_000_000)).toBe(200_000_000 - 172_800_000)
    expect(parsePast('2026-11-01', '--since', 0)).toBe(Date.UTC(2026, 10, 1))
  })
})

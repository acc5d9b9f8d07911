import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GovernedProject } from './contracts.js'
import { Project } from './project.js'

describe('constancia contract check', { timeout: 120_000 }, () => {
  it('R-F1 R-E4: tells all that makes no sense at once, with place and reason, and which flows do not fit', async () => {
    const project = new GovernedProject()
    const [well, bad, flows, none] = await Promise.all([
      project.run(['contract', 'check']),
      project.run(['contract', 'check', '--json'], { env: { BAD: '1' } }),
      project.run(['contract', 'check', '--json'], { env: { MORE: '1' } }),
      new Project().run(['contract', 'check']),
    ])
    expect([well.code, well.stdout]).toEqual([
      0,
      expect.stringMatching(/^treasury 7 {2}[0-9a-f]{64}\nAll is well\.\n$/),
    ])
    expect(bad.code).toBe(11)
    const { contract, findings } = JSON.parse(bad.stdout)
    expect(contract).toEqual({ name: 'treasury', version: '7' })
    expect(findings.map(({ code, place }: Record<string, string>) => [code, place])).toEqual([
      ['makes_no_sense', 'rule 2 (bank.transfer)'],
      ['makes_no_sense', 'flow pay@1'],
      ['makes_no_sense', 'template paid, en'],
      ['makes_no_sense', 'rule 1 (bank.transfer)'],
    ])
    expect(findings[1].reason).toMatch(/resume: \{ roles: \[...\] \}.*resume: 'anyone'/)
    expect(flows.code).toBe(11)
    expect(JSON.parse(flows.stdout).findings).toMatchObject([
      { code: 'flow_not_in_contract', place: 'flow more@2' },
      { code: 'flow_without_resume', place: 'flow plain@1' },
      { code: 'flow_differs', place: 'flow pay@1' },
      { code: 'flow_not_in_configuration', place: 'flow more@1' },
    ])
    expect([none.code, none.stderr]).toEqual([9, expect.stringContaining('has no contract')])
  })
})

describe('constancia contract show and diff', { timeout: 120_000 }, () => {
  it('R-F6: a file of it has its digest, and is compared with another version', async () => {
    const project = new GovernedProject()
    const [file, check, html, words] = await Promise.all([
      project.run(['contract', 'show', '--format', 'json', '-o', 'seven.json']),
      project.give(['contract', 'check', '--json']),
      project.give(['contract', 'show', '--format', 'html']),
      project.run(['contract']),
    ])
    expect(file.code).toBe(0)
    const sum = createHash('sha256')
      .update(readFileSync(join(project.folder, 'seven.json')))
      .digest('hex')
    expect(sum).toBe(JSON.parse(check.stdout).contract.digest)
    for (const part of [sum, '<h3>Pay a vendor (<code>bank.transfer</code>)</h3>', 'no contract is yet'])
      expect(html.stdout).toContain(part)
    expect([words.code, words.stdout]).toEqual([0, expect.stringMatching(/^Usage: constancia contract[\s\S]* diff /)])

    const [same, tightened, renamed] = await Promise.all([
      project.give(['contract', 'diff', 'seven.json']),
      project.give(['contract', 'diff', 'seven.json', 'config'], { contract: { version: '8', quorum: 2 } }),
      project.give(['contract', 'diff', 'seven.json', '--json'], { contract: { version: '8' } }),
    ])
    expect([same.code, same.stdout]).toEqual([0, expect.stringContaining('They are the same.')])
    expect(tightened.code).toBe(14)
    expect(tightened.stdout.replace(/\s+/g, ' ')).toMatch(
      /behavioural rules for bank\.transfer changed Whoever .* - Whoever is analyst .* one person .* \+ Whoever is analyst .* 2 different people .* 1 behavioural $/,
    )
    expect([renamed.code, JSON.parse(renamed.stdout)]).toMatchObject([
      14,
      { before: { version: '7', digest: sum }, after: { version: '8' }, changes: [] },
    ])
  })

  it('C50: words that name no contract, files that hold none and formats that are none are refused, each in its way', async () => {
    const project = new GovernedProject()
    project.write('odd.json', '{"format":"constancia.contract/v1","name":"x"}')
    project.write('broken.json', '{')
    const wrong: readonly (readonly [words: readonly string[], code: number, reason: RegExp])[] = [
      [['contract', 'diff'], 3, /No contract is in force yet.*\[unknown_contract\]/],
      [['contract', 'show', 'abcd1234'], 3, /No contract whose digest begins with abcd1234/],
      [['contract', 'show', 'missing.json'], 1, /cannot be read.*\[file_failed\]/],
      [['contract', 'show', 'odd.json'], 2, /holds no contract: version is not what a contract has there/],
      [['contract', 'show', 'broken.json'], 2, /holds no contract: it is not JSON/],
      [['contract', 'show', '--format', 'pdf'], 2, /--format is markdown, html, json/],
      [['contract', 'shw'], 2, /Did you mean show/],
    ]
    const ended = await Promise.all(wrong.map(([words]) => project.give(words)))
    for (const [index, [words, code, reason]] of wrong.entries()) {
      expect([words, ended[index]!.code, ended[index]!.stdout]).toEqual([words, code, ''])
      expect(ended[index]!.stderr.replace(/\s+/g, ' ')).toMatch(reason)
    }
  })
})

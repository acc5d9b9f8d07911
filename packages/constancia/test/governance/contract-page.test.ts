import type { DeclaredContract, DeclaredStep } from '@constancia/verify'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { action, allow, contract, once, readContract } from '../../dist/governance/index.js'
import { htmlOf, markdownOf, pageOf, plainText } from '../../dist/governance/presentation/index.js'

const evil = '<script>alert(1)</script>'

const wipe = action({
  name: 'disk.wipe',
  title: `Wipe ${evil} *everything* | now`,
  input: z.object({ disk: z.string() }),
  effect: once(),
  run: () => undefined,
})

const sample = contract({
  name: 'ops',
  version: '1',
  roles: { operator: `runs ${evil}`, keeper: 'agrees' },
  flows: [{ name: 'clean', version: 3, resume: { roles: ['operator'] } }],
  rules: [
    allow(wipe)
      .to('operator')
      .afterApproval({ roles: ['keeper'], quorum: 2, notBy: 'actor', within: 86_400_000 }),
  ],
  templates: { done: { en: 'Done.', es: 'Hecho.' } },
  activation: { roles: ['keeper'] },
})

const approval = { ...sample.declared.rules[0]!.approval! }
const steps: readonly DeclaredStep[] = [
  { kind: 'act', id: 'wipe', action: 'disk.wipe' },
  {
    kind: 'when',
    id: 'large',
    steps: [
      { kind: 'approve', id: 'ask', action: 'disk.wipe', approval },
      { kind: 'stop', id: 'enough' },
    ],
  },
  { kind: 'model', id: 'write' },
  { kind: 'wait', id: 'later', for: 'time' },
  { kind: 'say', id: 'tell', template: 'done', values: [] },
]
const drawn: DeclaredContract = { ...sample.declared, flows: [{ ...sample.declared.flows[0]!, steps }] }

describe('a contract as a page', () => {
  const page = pageOf(drawn, sample.digest, { kind: 'in_force', sinceMs: 0 })

  it('R-F6: HTML has a drawing of the declared flow with a sign for each step, and reads it out as well', () => {
    const html = htmlOf(page)
    const [svg] = /<svg[\s\S]*<\/svg>/.exec(html) ?? ['']
    for (const kind of ['act', 'when', 'approve', 'stop', 'model', 'wait', 'say'])
      expect(svg.match(new RegExp(`<g class="${kind}">`, 'g')), kind).toHaveLength(1)
    expect(svg).toContain('aria-label="Steps of clean@3: ')
    expect(svg).toContain('not by the one who asks; waits 1 day at most')
    expect(html).toContain(`<dd><code>${sample.digest}</code></dd>`)
    expect(html).toContain('since 1970-01-01 00:00:00 UTC')
  })

  it('C50: words of a contract are never markup, neither in HTML nor in its drawing nor in Markdown', () => {
    expect(htmlOf(page)).not.toContain('<script')
    expect(markdownOf(page)).not.toMatch(/(?<!\\)<script/)
    expect(markdownOf(page)).toContain('\\*everything\\*')
  })

  it('R-F6: Markdown lists the steps of a declared flow, those under a condition below it', () => {
    expect(markdownOf(page)).toMatch(
      /\n2\. \*\*Only where this holds:\*\* `large`\n {3}1\. \*\*Approval by 2 people who are `keeper`\*\* of/,
    )
  })

  it('R-F6: each role is told with all that it may do', () => {
    const table = page.blocks.find((block) => block.kind === 'table')
    expect(table?.rows.map((row) => row.map(plainText).join(' / '))).toEqual([
      `operator / runs ${evil} / may have done after an approval disk.wipe; resumes clean@3`,
      'keeper / agrees / approves disk.wipe; changes this contract',
    ])
  })
})

describe('a contract that is read from a file', () => {
  it('R-F6: is the same contract with the same digest, however its JSON is laid out', () => {
    expect(readContract(sample.text)).toEqual({ declared: sample.declared, digest: sample.digest })
    expect(readContract(JSON.stringify(sample.declared, null, 2))).toMatchObject({ digest: sample.digest })
    expect(readContract(JSON.stringify(drawn))).toMatchObject({ declared: drawn })
  })

  it('C50: is refused with the place of what is odd, wherever it is cut or spoiled', () => {
    let oddCount = 0
    const spoil = (value: unknown): void => {
      if (typeof value !== 'object' || value === null) return
      for (const [name, before] of Object.entries(value)) {
        if (['input', 'output'].includes(name)) continue
        const own = value as Record<string, unknown>
        for (const odd of [undefined, 7.5, 'odd', [null], { odd: 1 }].filter((one) => typeof one !== typeof before)) {
          own[name] = odd
          const read = readContract(JSON.stringify(copy))
          if (typeof read === 'string') oddCount += 1
          else expect([name, htmlOf(pageOf(read.declared, read.digest))]).toEqual([name, expect.any(String)])
        }
        own[name] = before
        spoil(before)
      }
    }
    const copy = structuredClone(drawn)
    spoil(copy)
    expect(oddCount).toBeGreaterThan(100)
  })
})

import { describe, expect, test } from 'vitest'
import { readRoleFile } from '../../dist/governance/directory/role-file.js'

const until = Date.UTC(2026, 11, 31, 23)
const grants = [
  { principal: 'tom', role: 'treasurer' },
  { principal: 'eve', role: 'analyst', untilMs: until },
]

/** The lines that mistakes are on, and what each says. */
function mistakesOf(text: string, format: 'csv' | 'json'): string[] {
  const file = readRoleFile(text, format)
  return file.kind === 'read' ? [] : file.mistakes.map(({ line, reason }) => `${line}: ${reason}`)
}

describe('a file of roles', () => {
  test.each([
    ['plain', 'principal,role,until\ntom,treasurer,\neve,analyst,2026-12-31T23:00:00Z\n'],
    ['without a last line end', 'principal,role,until\ntom,treasurer,\neve,analyst,2026-12-31T23:00:00.000Z'],
    ['of Windows', '\uFEFFPrincipal,Role,Until\r\ntom,treasurer,\r\n\r\neve,analyst,2026-12-31T23:00Z\r\n'],
    ['with quotes', '"role","until","principal"\n"treasurer","","tom"\n"analyst","2026-12-31T23:00:00Z","eve"\n'],
  ])('is read as CSV: %s', (_, text) => {
    expect(readRoleFile(text, 'csv')).toEqual({ kind: 'read', grants })
  })

  test.each([
    [
      'flat',
      '[{"principal":"tom","role":"treasurer"},{"principal":"eve","role":"analyst","until":"2026-12-31T23:00:00Z"}]',
    ],
    [
      'spaced',
      '\n[\n {"role" : "treasurer", "principal":"\\u0074om", "until":null},\n{"until":"2026-12-31T23:00:00Z","principal":"eve","role":"analyst"}]\n',
    ],
  ])('is read as JSON: %s', (_, text) => {
    expect(readRoleFile(text, 'json')).toEqual({ kind: 'read', grants })
  })

  test('of no roles is a file of no roles', () => {
    expect(readRoleFile('principal,role\n', 'csv')).toEqual({ kind: 'read', grants: [] })
    expect(readRoleFile(' [ ] ', 'json')).toEqual({ kind: 'read', grants: [] })
  })

  test('is read whole or not at all: every mistake is told, with its line', () => {
    const text = [
      'principal,role,until',
      'tom,treasurer,',
      'to m,treasurer,',
      ',analyst,',
      'eve,,tomorrow',
      'eve,analyst,2026-02-30T00:00:00Z',
      'tom,treasurer,2026-12-31T23:00:00Z',
      'ann,analyst',
      '"ann"x,analyst,',
      'ann,analyst,',
    ].join('\n')
    const mistakes = mistakesOf(text, 'csv')
    expect(mistakes.map((mistake) => mistake.split(':')[0])).toEqual(['3', '4', '5', '5', '6', '7', '8', '9'])
    expect(mistakes[0]).toContain('"to m"')
    expect(mistakes[4]).toContain('2026-02-30')
    expect(mistakes[5]).toContain('line 2')
  })

  test.each([
    ['', '1: There is no head line.'],
    ['name,role\ntom,x\n', '1: There is no column principal.'],
    ['principal,role,role\ntom,x,y\n', '1: A column is named twice.'],
    ['principal,role\n\n"tom,x\n', '3: A quote stands'],
    ['principal,role,color\ntom,x,red\n', '2: There is no field "color"'],
  ])('that is no CSV of roles is refused: %j', (text, told) => {
    expect(mistakesOf(text, 'csv')[0]).toContain(told)
  })

  test.each([
    ['', '1: Here the file ends, where [ was expected'],
    ['{}', '1: Here there is "{}"'],
    ['[{"principal":"tom",\n"role":7}]', '2: Here there is "7}]"'],
    ['[{"principal":"tom",\n"role":["a"]}]', '2: '],
    ['[{"principal":"tom","role":"x"},]', '1: '],
    ['[{"principal":"tom","role":"x"}]\n[]', '2: '],
    ['[\n{"principal":"tom","role":"x"', '2: Here the file ends'],
    ['[{"principal":"tom","principal":"eve","role":"x"}]', '1: The field "principal" stands twice.'],
    ['[{"principal":"tom","role":"x\n"}]', '1: There is a character'],
    ['[{"principal":"tom","role":"\\x"}]', '1: There is a character'],
    ['[\n\n{"principal":"tom"}]', '3: The role is missing.'],
    ['[{"principal":"tom","role":"x","__proto__":"y"}]', '1: There is no field "__proto__"'],
  ])('that is no JSON of roles is refused: %j', (text, told) => {
    expect(mistakesOf(text, 'json')[0]).toContain(told)
  })

  test('is read in time that grows with its length', () => {
    const lines = Array.from({ length: 100_000 }, (_, n) => `p${n},treasurer,`)
    const file = readRoleFile(`principal,role,until\n${lines.join('\n')}`, 'csv')
    expect(file.kind === 'read' && file.grants.length).toBe(100_000)
    expect(mistakesOf(`principal,role\n${'"'.repeat(300_000)}`, 'csv')).toHaveLength(1)
    expect(mistakesOf(`[${' '.repeat(300_000)}"${'\\'.repeat(300_001)}`, 'json')).toHaveLength(1)
    expect(mistakesOf('x'.repeat(9_000_000), 'csv')).toEqual(['1: The file is larger than 8 MiB.'])
  })
})

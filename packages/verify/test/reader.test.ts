import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  chainDrafts,
  emptyHead,
  exportLine,
  parseRunId,
  runStream,
  type StoredEvent,
} from '../../constancia/dist/journal/index.js'

const reader = fileURLToPath(new URL('../readers/read_chain.py', import.meta.url))
const mutator = fileURLToPath(new URL('mutate.py', import.meta.url))
const first = runStream(parseRunId('pedido-7'))
const second = runStream(parseRunId('pedido-8'))

function python(args: readonly string[], input: string) {
  const { error, status, stdout, stderr } = spawnSync('python3', args, { input, encoding: 'utf8', maxBuffer: 1e9 })
  if (error !== undefined) {
    throw new Error('python3 did not start. The independent reader must be run: install Python 3.8 or later.', {
      cause: error,
    })
  }
  return { status, stdout, stderr }
}

/** Text that is not ASCII, an event without data, data that is empty, and data that was erased. */
function events(stream: typeof first, count: number): StoredEvent[] {
  let next = 0
  const salt = () => Uint8Array.from({ length: 16 }, () => (next++ * 37) % 256)
  const datas = ['{"cliente":"Añade 😀 \\u0000\u2028\\ud800"}', undefined, '', '"se borra"', '5']
  const drafts = Array.from({ length: count }, (_, i) => {
    return { kind: 'StepCompleted', body: `{"op":"${i}","ñ":"\\n"}`, data: datas[i % datas.length] }
  })
  const nowMs = Date.UTC(2026, 1, 28, 23, 59, 59, 7)
  const chained = chainDrafts(emptyHead(stream), drafts, { stream, nowMs, by: 'claim:c-1@12', seen: '-/-', salt })
  return chained.map((event) =>
    event.data === '"se borra"' ? { ...event, data: undefined, dataSalt: undefined } : event,
  )
}

const mixed = [events(first, 5), events(second, 3)]
const lines = [0, 1, 2, 3, 4].flatMap((i) =>
  mixed.flatMap((list) => (list[i] === undefined ? [] : [exportLine(list[i])])),
)
const heads = [`ok ${first} 5 events ${mixed[0]?.[4]?.hash}`, `ok ${second} 3 events ${mixed[1]?.[2]?.hash}`]

beforeAll(() => {
  python(['--version'], '')
})

describe('a reader that shares no code with us', () => {
  test('it computes the same heads from an export, and says how many events each stream has', () => {
    const { status, stdout } = python([reader], `${lines.join('\n')}\n`)
    expect([status, stdout.trim().split('\n')]).toEqual([0, heads])
  })

  test('it reads a file as well', () => {
    const folder = mkdtempSync(join(tmpdir(), 'constancia-export-'))
    try {
      writeFileSync(join(folder, 'export.jsonl'), `${lines.join('\n')}\n`)
      expect(
        python([reader, join(folder, 'export.jsonl')], '')
          .stdout.trim()
          .split('\n'),
      ).toEqual(heads)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  test('it names the first wrong event and exits with 1', () => {
    const wrong = lines.map((line, i) => (i === 4 ? line.replace('StepCompleted', 'StepFailed') : line))
    const { status, stdout, stderr } = python([reader], wrong.join('\n'))
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`line 5, event 2 of ${first}: does not fit its hash`)
  })

  test('it finds an event that was taken out, put in twice or swapped', () => {
    const changed = [
      lines.toSpliced(2, 1),
      lines.toSpliced(2, 0, lines[2]!),
      lines.toSpliced(2, 3, lines[4]!, lines[3]!, lines[2]!),
    ]
    for (const list of changed) expect(python([reader], list.join('\n')).status).toBe(1)
  })

  test('it finds a gap and a date that goes back even where every hash fits', () => {
    const [one] = events(first, 1)
    const provenance = { nowMs: 5, by: 'system:x', seen: '-/-', salt: () => new Uint8Array(16) }
    const head = { seq: 0, hash: one!.hash, at: one!.at }
    const next = (forged: object) =>
      chainDrafts({ ...head, ...forged }, [{ kind: 'A', body: '', data: '' }], { stream: first, ...provenance })
    const status = (forged: object) => python([reader], [one!, ...next(forged)].map(exportLine).join('\n')).status
    expect([{}, { seq: 1 }, { seq: -1 }, { at: 0 }].map(status)).toEqual([0, 1, 1, 1])
  })

  test('it finds every changed byte of every field', () => {
    const mutants = lines.flatMap((line, number) => mutantsOf(line).map((text) => [number, text] as const))
    const answers = JSON.parse(python([mutator], JSON.stringify({ lines, mutants })).stdout) as string[]
    expect(answers.length).toBe(mutants.length)
    expect(mutants.length).toBeGreaterThan(5_000)
    const missed = mutants.filter((_, i) => answers[i] === 'ok').map(([number, text]) => `${number}: ${text}`)
    expect(missed).toEqual([])
  })

  const fields = Object.keys(JSON.parse(lines[0]!) as object)
  for (const field of fields) {
    test(`it finds another value of ${field}, a missing one and one of another type`, () => {
      const mutants = lines.flatMap((line, number) => othersOf(line, field).map((text) => [number, text] as const))
      const answers = JSON.parse(python([mutator], JSON.stringify({ lines, mutants })).stdout) as string[]
      expect(mutants.filter((_, i) => answers[i] === 'ok').map(([number, text]) => `${number}: ${text}`)).toEqual([])
    })
  }
})

/** The line with one bit of one byte changed, for every byte and three bits; without those that say the same. */
function mutantsOf(line: string): string[] {
  const bytes = Buffer.from(line)
  const changed = Array.from(bytes, (byte, i) => [1, 4, 32].map((bit) => Buffer.from(bytes).fill(byte ^ bit, i, i + 1)))
  return changed
    .flat()
    .map(String)
    .filter((text) => !saysTheSame(text, line))
}

function saysTheSame(text: string, line: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(line))
  } catch {
    return false
  }
}

function othersOf(line: string, field: string): string[] {
  const event = JSON.parse(line) as Record<string, unknown>
  const others = [
    undefined,
    null,
    0,
    1,
    true,
    'x',
    '',
    [],
    {},
    '-',
    `${event[field]} `,
    `${event[field]}\n`,
    `\n${event[field]}`,
  ]
  return others
    .filter((value) => JSON.stringify(value) !== JSON.stringify(event[field]))
    .map((value) => JSON.stringify({ ...event, [field]: value }))
}

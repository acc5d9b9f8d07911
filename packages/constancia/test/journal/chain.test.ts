import { describe, expect, test } from 'vitest'
import {
  type ConstanciaError,
  chainDrafts,
  type Draft,
  emptyHead,
  exportLine,
  headOf,
  parseRunId,
  runStream,
  type StoredEvent,
  verifyChain,
} from '../../dist/journal/index.js'
import { thrownBy } from './options.js'

const stream = runStream(parseRunId('pedido-7'))
const start = Date.UTC(2026, 0, 1)

/** Salts that count up: 000102…, 101112…, 202122…, so that a vector is fixed. */
function countingSalts(): () => Uint8Array {
  let next = 0
  return () => Uint8Array.from({ length: 16 }, () => next++ % 256)
}

const drafts: readonly Draft[] = [
  { kind: 'FlowStarted', body: '{"flow":"pedido","version":1}', data: '{"cliente":"Añade 😀"}' },
  { kind: 'TimerSet', body: '{"op":"0"}', data: undefined },
  { kind: 'StepCompleted', body: '{"op":"1"}', data: '{"paid":true}' },
  { kind: 'FlowCompleted', body: '{}', data: '1' },
]

function chain(list = drafts): StoredEvent[] {
  const salt = countingSalts()
  return chainDrafts(emptyHead(stream), list, { stream, nowMs: start, by: 'claim:c-1@1', seen: '-/-', salt })
}

const firstHash = '4eec383035cfcc6c2b6818108fe3b504783969e623ffd5d838ab9b39c7d64580'
const secondSeen =
  '4:e591bb6bf9ec8ac2650c3c051f21c3b1c0e43a7f5996d9fd1d9f59c034f04181/' +
  '2:c2f2696c542994afc4c2ec80f789c778236b5ca95ca3053149e2159647d637d3'

describe('the chain follows its format', () => {
  test('the hashes are those that sha256sum makes of the lines of the format', () => {
    const salt = countingSalts()
    const head = emptyHead(stream)
    expect(head.hash).toBe('3d668a11333a69b64dfa1391d6e2b9a331f0d478e38cdf80265bcf594efd05a4')
    const [first] = chainDrafts(head, drafts.slice(0, 1), {
      stream,
      nowMs: start,
      by: 'claim:c-1@1',
      seen: '-/-',
      salt,
    })
    expect([first?.hash, first?.dataCommit]).toEqual([
      firstHash,
      'c2f2696c542994afc4c2ec80f789c778236b5ca95ca3053149e2159647d637d3',
    ])
    const provenance = { nowMs: start + 1, by: 'system:timers', seen: secondSeen, salt }
    const [second] = chainDrafts(headOf(first!), drafts.slice(1, 2), { stream, ...provenance })
    expect(second?.hash).toBe('5a74fea30c5414a7948fbdb7880923a8884898218630f77e6184e1be4ba12f2c')
  })

  test('a stream of a thousand events ends in the hash that another program computed', () => {
    const long = runStream(parseRunId('long'))
    let head = emptyHead(long)
    const hashes: string[] = []
    for (let i = 0; i < 1000; i += 1) {
      const data = i % 3 === 0 ? undefined : `ñ😀${i}`
      const salts = [i % 256, 255 - (i % 256)]
      const salt = () => new Uint8Array(16).fill(salts.shift() ?? 0)
      const provenance = { nowMs: start + 7 * i, by: 'claim:c@1', seen: '-/-', salt }
      const [event] = chainDrafts(head, [{ kind: 'StepCompleted', body: `{"op":"${i}"}`, data }], {
        stream: long,
        ...provenance,
      })
      head = headOf(event!)
      hashes.push(head.hash)
    }
    expect([hashes[0], hashes[499], hashes[999]]).toEqual([
      'e945ff9877b249004c3873f2f288491cbc34be86a02307653f715d8c2110c07c',
      '9ad74586dc2d5ba7209bd2b5d87a4ad2c4fad435e39a1cece5680879ed8124e1',
      '83319579a389b57282832460db0752ef74c32bcae57dfb387c03c6a6f0b1afd7',
    ])
  })

  test('events of one call and events of several make the same chain', () => {
    const salt = countingSalts()
    let head = emptyHead(stream)
    for (const draft of drafts) {
      const [event] = chainDrafts(head, [draft], { stream, nowMs: start, by: 'claim:c-1@1', seen: '-/-', salt })
      head = headOf(event!)
    }
    expect(head).toEqual(headOf(chain().at(-1)!))
  })

  test('an event is never dated before the one before it, whatever the clock says', () => {
    const salt = countingSalts()
    let head = emptyHead(stream)
    const dates: number[] = []
    for (const nowMs of [start, start - 5_000, 0, start + 3, start + 2]) {
      const events = chainDrafts(head, drafts.slice(0, 2), { stream, nowMs, by: 'system:x', seen: '-/-', salt })
      dates.push(...events.map((event) => event.at))
      head = verifyChain(stream, head, events)
    }
    expect(dates.map((at) => at - start)).toEqual([0, 0, 0, 0, 0, 0, 3, 3, 3, 3])
  })

  test('each text has a salt of its own, and an event without data takes one only', () => {
    const events = chain()
    const salts = events.flatMap((event) => [event.bodySalt, event.dataSalt ?? []]).map(String)
    expect(new Set(salts).size).toBe(salts.length)
    expect([events[1]?.dataSalt, events[1]?.dataCommit]).toEqual([undefined, undefined])
  })
})

const flipped = (bytes: Uint8Array) => Uint8Array.from(bytes, (byte, i) => (i === 15 ? byte ^ 1 : byte))
const altered = (hash: string | undefined) => (hash?.startsWith('0') ? '1' : '0') + hash?.slice(1)

/** Every way in which one event can be changed. */
const changes: Record<string, (event: StoredEvent) => Partial<StoredEvent>> = {
  stream: () => ({ stream: runStream(parseRunId('pedido-8')) }),
  seq: (event) => ({ seq: event.seq + 1 }),
  kind: (event) => ({ kind: `${event.kind}d` }),
  body: (event) => ({ body: event.body.replace('{', '{ ') }),
  bodySalt: (event) => ({ bodySalt: flipped(event.bodySalt) }),
  'body and its salt, moved by a byte': (event) => ({ body: `x${event.body}` }),
  data: (event) => ({ data: `${event.data ?? ''} ` }),
  'data that was never there': () => ({ data: '1', dataSalt: new Uint8Array(16) }),
  dataSalt: (event) => ({ dataSalt: flipped(event.dataSalt ?? new Uint8Array(16)), data: event.data ?? '' }),
  'a salt taken away from its data': (event) => ({ dataSalt: undefined, data: event.data ?? '' }),
  dataCommit: (event) => ({ dataCommit: altered(event.dataCommit ?? '0') }),
  'a commit taken away': (event) => ({ dataCommit: event.dataCommit === undefined ? '0'.repeat(64) : undefined }),
  at: (event) => ({ at: event.at + 1 }),
  'at, put back': (event) => ({ at: event.at - 1 }),
  by: () => ({ by: 'claim:c-1@2' }),
  seen: () => ({ seen: `0:${'0'.repeat(64)}/-` }),
  hash: (event) => ({ hash: altered(event.hash) }),
}

describe('verifyChain finds what was changed', () => {
  const damage = (events: readonly StoredEvent[]) =>
    thrownBy(() => verifyChain(stream, emptyHead(stream), events)) as ConstanciaError

  test('an untouched chain is valid, also from its middle and without erased data', () => {
    const events = chain()
    expect(verifyChain(stream, emptyHead(stream), events)).toEqual(headOf(events[3]!))
    expect(verifyChain(stream, headOf(events[1]!), events.slice(2))).toEqual(headOf(events[3]!))
    const erased = events.map((event) => ({ ...event, data: undefined, dataSalt: undefined }))
    expect(verifyChain(stream, emptyHead(stream), erased)).toEqual(headOf(events[3]!))
    expect(verifyChain(stream, emptyHead(stream), [])).toEqual(emptyHead(stream))
  })

  for (const [name, change] of Object.entries(changes)) {
    test(`a changed event is found and named: ${name}`, () => {
      for (const [i, event] of chain().entries()) {
        const events: StoredEvent[] = chain()
        events[i] = { ...event, ...change(event) }
        const { code, details } = damage(events)
        expect([code, details['seq']]).toEqual(['journal_damaged', events[i].seq])
      }
    })
  }

  test('an event that was taken out, put in twice or swapped is found', () => {
    const events = chain()
    for (const i of [0, 1, 2]) {
      expect(damage(events.toSpliced(i, 1)).code).toBe('journal_damaged')
      expect(damage(events.toSpliced(i, 0, events[i]!)).code).toBe('journal_damaged')
      expect(damage(events.toSpliced(i, 2, events[i + 1]!, events[i]!)).code).toBe('journal_damaged')
    }
  })

  test('a gap and a date that goes back are found even where every hash fits', () => {
    const [first] = chain()
    const provenance = { nowMs: start - 1, by: 'system:x', seen: '-/-', salt: countingSalts() }
    for (const forged of [{ seq: 1 }, { seq: -1 }, { at: 0 }]) {
      const next = chainDrafts({ ...headOf(first!), ...forged }, drafts.slice(1, 2), { stream, ...provenance })
      expect(damage([first!, ...next]).details['seq']).toBe(next[0]?.seq)
    }
  })

  test('the end of another history does not fit', () => {
    const other = chain([{ ...drafts[0]!, data: '{"cliente":"otro"}' }, ...drafts.slice(1)])
    for (const i of [1, 2, 3]) expect(damage([...chain().slice(0, i), ...other.slice(i)]).details['seq']).toBe(i)
  })
})

describe('an export holds what a reader needs', () => {
  test('a line has every field in a form that JSON keeps', () => {
    const [first, second] = chain()
    expect(JSON.parse(exportLine(first!))).toEqual({
      stream: 'run/pedido-7',
      seq: 0,
      kind: 'FlowStarted',
      at: start,
      by: 'claim:c-1@1',
      seen: '-/-',
      body: '{"flow":"pedido","version":1}',
      bodySalt: '000102030405060708090a0b0c0d0e0f',
      data: '{"cliente":"Añade 😀"}',
      dataSalt: '101112131415161718191a1b1c1d1e1f',
      dataCommit: 'c2f2696c542994afc4c2ec80f789c778236b5ca95ca3053149e2159647d637d3',
      hash: firstHash,
    })
    expect(JSON.parse(exportLine(second!))).toMatchObject({ data: null, dataSalt: null, dataCommit: null })
    expect(exportLine(first!)).not.toContain('\n')
  })
})

import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { commitPreimage, type EventHeader, genesisText, headerText, saltBytes } from '../dist/index.js'

const sha256 = (message: string | Uint8Array) => createHash('sha256').update(message).digest('hex')
const salt = (first: number) => Uint8Array.from({ length: 16 }, (_, i) => first + i)
const genesis = '3d668a11333a69b64dfa1391d6e2b9a331f0d478e38cdf80265bcf594efd05a4'
const bodyCommit = 'e591bb6bf9ec8ac2650c3c051f21c3b1c0e43a7f5996d9fd1d9f59c034f04181'
const dataCommit = 'c2f2696c542994afc4c2ec80f789c778236b5ca95ca3053149e2159647d637d3'

const header: EventHeader = {
  stream: 'run/pedido-7',
  seq: 0,
  kind: 'FlowStarted',
  at: 1767225600000,
  by: 'claim:c-1@1',
  seen: '-/-',
  bodyCommit,
  dataCommit,
  prev: genesis,
}

// Every hash here was made with printf and sha256sum, from the format's description alone.
describe('the format of a chain', () => {
  test('a stream begins from the hash of its genesis text', () => {
    expect(genesisText('run/pedido-7')).toBe('constancia.genesis/v1\nrun/pedido-7\n')
    expect(sha256(genesisText('run/pedido-7'))).toBe(genesis)
  })

  test('a commit covers the salt and the text as UTF-8', () => {
    expect(sha256(commitPreimage(salt(0x00), '{"flow":"pedido","version":1}'))).toBe(bodyCommit)
    expect(sha256(commitPreimage(salt(0x10), '{"cliente":"Añade 😀"}'))).toBe(dataCommit)
    expect([...commitPreimage(salt(0), '')]).toEqual([...salt(0)])
  })

  test('a salt of any other length is refused, so that salt and text cannot be moved against each other', () => {
    expect(saltBytes).toBe(16)
    for (const length of [0, 15, 17]) {
      expect(() => commitPreimage(new Uint8Array(length), 'x')).toThrow(RangeError)
    }
  })

  test('a header is ten lines, and its hash is the one that sha256sum makes of them', () => {
    expect(headerText(header)).toBe(
      'constancia.event/v1\nrun/pedido-7\n0\nFlowStarted\n2026-01-01T00:00:00.000Z\nclaim:c-1@1\n-/-\n' +
        `${bodyCommit}\n${dataCommit}\n${genesis}\n`,
    )
    expect(sha256(headerText(header))).toBe('4eec383035cfcc6c2b6818108fe3b504783969e623ffd5d838ab9b39c7d64580')
  })

  test('an event without data has a dash in its place', () => {
    const next: EventHeader = {
      stream: 'run/pedido-7',
      seq: 1,
      kind: 'TimerSet',
      at: 1767225600001,
      by: 'system:timers',
      seen: `4:${bodyCommit}/2:${dataCommit}`,
      bodyCommit: '10308ec829b3b297c8a614a7e4bb90c7f8b4b1fca9da1219095c1205401a9be6',
      dataCommit: undefined,
      prev: '4eec383035cfcc6c2b6818108fe3b504783969e623ffd5d838ab9b39c7d64580',
    }
    expect(headerText(next).split('\n')[8]).toBe('-')
    expect(sha256(headerText(next))).toBe('5a74fea30c5414a7948fbdb7880923a8884898218630f77e6184e1be4ba12f2c')
  })

  test('every field of a header changes its hash', () => {
    const others: EventHeader = {
      stream: 'run/pedido-8',
      seq: 1,
      kind: 'FlowFailed',
      at: 1767225600001,
      by: 'claim:c-1@2',
      seen: '-/1:0',
      bodyCommit: dataCommit,
      dataCommit: undefined,
      prev: bodyCommit,
    }
    const texts = Object.keys(header).map((key) => headerText({ ...header, [key]: others[key as keyof EventHeader] }))
    expect(new Set([headerText(header), ...texts]).size).toBe(Object.keys(header).length + 1)
  })
})

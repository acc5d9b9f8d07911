/**
 * Writes a file for a verifier to standard output: `large-file.mjs KIND BYTES`. On standard error, the key that it is signed by. Files of most kinds
 * are honest, all hashes and signatures are right; they are as large as an honest operator's, or a hostile one's, may get.
 */
import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import {
  base64Of,
  checkpointText,
  commitPreimage,
  cosignature,
  cosignatureMessage,
  genesisText,
  headerText,
  headLeafText,
  hexOf,
  inclusionProof,
  keyMessage,
  leafPreimage,
  noteSignature,
  rootAt,
  treeSource,
  utf8Of,
  verifierKeyOf,
  writeBundle,
} from '../../../verify/dist/index.js'
import { nodeCrypto } from '../../../verify/dist/node.js'

const [kind = '', bytesText = '0'] = process.argv.slice(2)
const byteCount = Number(bytesText)
const origin = 'bank.example/log'
const { sha256 } = nodeCrypto
const salt = '00'.repeat(16)
const at = Date.UTC(2026, 0, 1)
const textBytesMax = 16_777_216

const secret = createPrivateKey({
  key: Buffer.concat([
    Buffer.from('302e020100300506032b657004220420', 'hex'),
    createHash('sha256').update('key').digest(),
  ]),
  format: 'der',
  type: 'pkcs8',
})
const raw = createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32)
const key = verifierKeyOf(sha256, origin, new Uint8Array(raw))
const heads = new Map()

function* chain(stream, facts) {
  let prev = hexOf(sha256(utf8Of(genesisText(stream))))
  let seq = 0
  for (const { kind: name, body, data, by = 'claim:c@1', seen = '-/-' } of facts) {
    const commit = (text) => hexOf(sha256(commitPreimage(Buffer.from(salt, 'hex'), text)))
    const dataCommit = data === undefined ? undefined : commit(data)
    const header = { stream, seq, kind: name, at, by, seen, bodyCommit: commit(body), dataCommit, prev }
    prev = hexOf(sha256(utf8Of(headerText(header))))
    heads.set(stream, { stream, seq, hash: prev })
    const textOf = (text) => ({ kind: 'text', salt, text })
    yield {
      seq,
      kind: name,
      at,
      by,
      seen,
      hash: prev,
      body: textOf(body),
      data: data === undefined ? undefined : textOf(data),
    }
    seq += 1
  }
}

function keyAdded() {
  const possession = base64Of(sign(null, keyMessage(origin, key.text), secret))
  return {
    kind: 'KeyAdded',
    body: JSON.stringify({ key: key.text, possession, endorsement: null }),
    by: 'system:evidence',
  }
}

const started = { kind: 'FlowStarted', body: '{"flow":"f","version":1,"actor":null,"contract":null}', data: '1' }
const times = (count, make) => Array.from({ length: count }, (_, number) => () => make(number))
const about = (op, verb = 'do', name = 'a') => ({ op: String(op), verb, name })
const largeText = `"€${'x'.repeat(textBytesMax - 5)}"`
const largeCount = Math.ceil(byteCount / textBytesMax)
const smallCount = (bytes, max = 99_000) => Math.min(max, Math.ceil(byteCount / bytes))
const zeros = '0'.repeat(64)
const large = (name, body) => [
  1,
  times(largeCount, (number) => ({ kind: name, body: JSON.stringify(body(number)), data: largeText })),
]
const policy = {
  roles: ['r'],
  quorum: 1,
  notBy: null,
  withinMs: null,
  escalation: null,
  amendable: true,
  reasonRequired: false,
}

/** Of each kind: how many runs there are, and the facts of each behind its first, or of governance. */
const kinds = {
  texts: () => large('StepCompleted', (number) => ({ op: String(number) })),
  events: () => [
    20,
    times(Math.min(99_000, Math.ceil(byteCount / 20 / 560)), (number) => ({
      kind: 'StepCompleted',
      body: `{"op":"${number}"}`,
      data: `"${'x'.repeat(300)}"`,
    })),
  ],
  streams: () => [Math.min(100_000, Math.ceil(byteCount / 800)), []],
  depth: () => [
    1,
    times(largeCount, () => ({
      kind: 'ActionAuthorized',
      body: '['.repeat(textBytesMax),
      data: '['.repeat(textBytesMax),
    })),
  ],
  inputs: () => large('ActionAuthorized', (op) => ({ ...about(op), attempt: 1, contract: zeros, rule: 0, roles: [] })),
  amendments: () =>
    large('ApprovalVoted', (number) => ({
      ...about(0),
      voter: `v${number}`,
      choice: 'approve',
      shown: zeros,
      roles: [],
      delivery: `d${number}`,
      amended: zeros,
    })),
  requests: () =>
    large('ApprovalRequested', (op) => ({
      ...about(op),
      contract: zeros,
      action: null,
      rule: null,
      policy,
      shown: zeros,
    })),
  ops: () => [
    1,
    times(smallCount(500), (op) => ({
      kind: 'ActionAuthorized',
      body: JSON.stringify({ ...about(op), attempt: 1, contract: zeros, rule: 0, roles: [] }),
      data: '1',
    })),
  ],
  votes: () => [
    1,
    [
      () => ({
        kind: 'ApprovalRequested',
        body: JSON.stringify({
          ...about(0, 'approval'),
          contract: '-',
          action: null,
          rule: null,
          policy,
          shown: zeros,
        }),
        data: '1',
      }),
      ...times(smallCount(520, 9_900), (number) => ({
        kind: 'ApprovalVoted',
        body: JSON.stringify({
          ...about(0, 'approval'),
          voter: `v${number}`,
          choice: 'approve',
          shown: zeros,
          roles: [],
          delivery: `d${number}`,
          amended: null,
        }),
        by: `principal:v${number}`,
      })),
    ],
  ],
  seen: () => [
    1,
    times(smallCount(400), (number) => ({
      kind: 'StepCompleted',
      body: '{}',
      seen: `${number}:${zeros}/${number + 1}:${zeros}`,
    })),
  ],
  grants: () => [
    1,
    [],
    times(smallCount(400, 99_000), (number) => ({
      kind: 'RoleGranted',
      body: JSON.stringify({ principal: `p${number}`, role: 'administrator', untilMs: null, source: 'direct' }),
      by: 'principal:root',
    })),
  ],
  keys: () => [
    1,
    [],
    times(smallCount(500, 99_000), (number) => ({
      kind: 'KeyRetired',
      body: JSON.stringify({ key: `${key.text}${number}` }),
      by: 'system:evidence',
    })),
  ],
  contracts: () => [
    1,
    [],
    times(largeCount, (number) => {
      const data = contractText(number)
      const digest = createHash('sha256').update(data).digest('hex')
      const body = JSON.stringify({ name: 'c', version: '1', digest, approvedBy: [] })
      return { kind: 'ContractActivated', body, data, by: 'principal:root' }
    }),
  ],
}

function contractText(number) {
  const text = (filling) =>
    `{"actions":[],"activation":{"quorum":1,"roles":["administrator"]},"flows":[],"format":"constancia.contract/v1","limits":{},"name":"c","roles":{"r":"${number}${filling}"},"rules":[],"templates":{},"version":"1"}`
  return text('x'.repeat(textBytesMax - text('').length))
}

async function write(pieces) {
  let batch = []
  let size = 0
  for await (const piece of pieces) {
    batch.push(piece)
    size += piece.length
    if (size < 1_000_000) continue
    await put(Buffer.concat(batch))
    batch = []
    size = 0
  }
  await put(Buffer.concat(batch))
}

function put(bytes) {
  return new Promise((resolve) => void process.stdout.write(bytes, resolve))
}

async function* repeated(head, block, tail) {
  yield Buffer.from(head)
  for (let size = head.length; size < byteCount; size += block.length) yield Buffer.from(block)
  yield Buffer.from(tail)
}

function signedNote(size, root) {
  const text = checkpointText({ origin, size, root })
  const seconds = Math.floor(at / 1_000)
  const timed = cosignature(key, seconds, sign(null, cosignatureMessage(seconds, text), secret))
  const witnesses = Array.from({ length: 14 }, (_, number) => ({
    name: `witness.example/${number}`,
    keyId: '0000000'.concat(number.toString(16)),
    signature: new Uint8Array(72),
  }))
  return { text, signatures: [noteSignature(key, sign(null, utf8Of(text), secret)), timed, ...witnesses] }
}

async function* made() {
  const [runCount, facts, law = []] = kinds[kind]()
  const names = Array.from({ length: runCount }, (_, number) => `run/${String(number).padStart(7, '0')}`)
  const order = [...names, 'governance']
  const factsOf = function* (name) {
    yield name === 'governance' ? keyAdded() : started
    for (const make of name === 'governance' ? law : facts) yield make()
  }
  // Leaves are asked for before the streams are written: their hashes take a first pass.
  for (const name of order) for (const _ of chain(name, factsOf(name)));
  const hashes = order.map((name) => sha256(leafPreimage(utf8Of(headLeafText(heads.get(name))))))
  const source = treeSource(sha256, hashes)
  const size = hashes.length
  const leaves = order.map((name, index) => ({ index, ...heads.get(name), path: inclusionProof(source, index, size) }))
  const streams = ['governance', ...names].map((name) => ({
    name,
    eventCount: heads.get(name).seq + 1,
    events: chain(name, factsOf(name)),
  }))
  const checkpoints = [{ note: signedNote(size, rootAt(source, size)), consistency: [], tokens: [] }]
  yield* writeBundle({ origin, scope: { kind: 'runs', count: runCount }, streams, leaves, checkpoints }, nodeCrypto)
}

/** Streams of a log with nothing in them but its key and a beginning, up to where the leaves begin. */
function beginning() {
  const text = []
  for (const [name, fact] of [
    ['governance', keyAdded()],
    ['run/a', started],
  ])
    for (const event of chain(name, [fact])) text.push(`stream ${name} 1\n`, lines(event))
  return `constancia.bundle/v1\norigin ${origin}\nscope runs 1\n${text.join('')}`
}

function lines({ seq, kind: name, by, seen, hash, body, data }) {
  const shown = (word, text) =>
    text === undefined ? 'data none\n' : `${word} ${salt} ${text.text.length}\n${text.text}\n`
  return `event ${seq} ${name} ${new Date(at).toISOString()} ${by} ${seen} ${hash}\n${shown('body', body)}${shown('data', data)}`
}

function* leavesOf(count) {
  for (let index = 0; index < count; index++)
    yield `leaf ${index} run/a 0 ${zeros}\npath 63\n${`${zeros}\n`.repeat(63)}`
}

function* checkpointsOf(count, tokens) {
  for (let size = 1; size <= count; size++) {
    const { text, signatures } = signedNote(size, new Uint8Array(32))
    const note = `${text}\n${signatures.map((one) => `— ${one.name} ${Buffer.concat([Buffer.from(one.keyId, 'hex'), one.signature]).toString('base64')}\n`).join('')}`
    const proof = size === 1 ? 'consistency 0\n' : `consistency 63\n${`${zeros}\n`.repeat(63)}`
    yield `checkpoint ${Buffer.byteLength(note)}\n${note}${proof}tokens ${tokens.length}\n${tokens.map((token) => `${token}\n`).join('')}`
  }
}

async function* pieces() {
  if (kind in kinds) return yield* made()
  if (kind === 'line') return yield* repeated('constancia.bundle/v1\norigin ', 'x'.repeat(1_000_000), '\n')
  const begin = beginning()
  if (kind === 'leaves') {
    const count = Math.min(500_000, Math.ceil(byteCount / 4_200))
    yield Buffer.from(`${begin}leaves ${count}\n`)
    for (const leaf of leavesOf(count)) yield Buffer.from(leaf)
    yield Buffer.from('checkpoints 1\n')
    for (const one of checkpointsOf(1, [])) yield Buffer.from(one)
  } else {
    const tokens = kind === 'tokens' ? Array(16).fill('A'.repeat(65_536)) : []
    const count = Math.min(20_000, Math.ceil(byteCount / (kind === 'tokens' ? 1_050_000 : 6_800)))
    yield Buffer.from(`${begin}leaves 0\ncheckpoints ${count}\n`)
    for (const one of checkpointsOf(count, tokens)) yield Buffer.from(one)
  }
  yield Buffer.from(`end ${zeros}\n`)
}

process.stderr.write(key.text)
await write(pieces())

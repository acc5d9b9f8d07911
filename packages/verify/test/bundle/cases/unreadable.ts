import { type Case, caseOf, rewritten } from './case.js'

/** Files that are no bundles. */
export async function unreadableCases(): Promise<Case[]> {
  const cases: Case[] = []
  for (const [name, change] of Object.entries(changes)) {
    const bytes = await rewritten(change)
    cases.push(caseOf(`unreadable-${name}`, bytes, unreadable))
  }
  const valid = await rewritten((text) => `${text}x`, { repair: false })
  const whole = valid.subarray(0, -1)
  const bytes = new Map<string, Uint8Array>([
    ['empty', new Uint8Array(0)],
    ['something-after-the-end', valid],
    ['newline-after-the-end', Buffer.concat([whole, Buffer.from('\n')])],
    ['no-newline-at-the-end', whole.subarray(0, -1)],
    ['cut-in-a-text', whole.subarray(0, whole.indexOf('xxx') + 2)],
    ['cut-after-a-line', whole.subarray(0, whole.indexOf('\nleaves ') + 1)],
    ['claim-without-interval', Buffer.concat([whole, Buffer.from('claim 5\nabcde')])],
    ['no-utf8', Buffer.from(whole.toString('latin1').replace('\u00c3\u00a9', '\u00c3\u0028'), 'latin1')],
    ['text', Buffer.from('Dear auditor,\nplease believe us.\n')],
    ['zip', Buffer.from('504b0304140000000800', 'hex')],
  ])
  for (const [name, content] of bytes) cases.push(caseOf(`unreadable-${name}`, content, unreadable))
  return cases
}

const unreadable = { verdict: 'unreadable', check: 'format' } as const

const changes: Record<string, (text: string) => string> = {
  'foreign-version': (text) => text.replace('bundle/v1', 'bundle/v2'),
  'byte-order-mark': (text) => `\uFEFF${text}`,
  'carriage-return': (text) => text.replace('\nscope', '\r\nscope'),
  'two-spaces': (text) => text.replace('origin ', 'origin  '),
  'origin-that-is-none': (text) => text.replace('origin bank', 'origin constancia.bank'),
  'scope-without-runs': (text) => text.replace('scope runs 3', 'scope runs 0'),
  'scope-of-another-count': (text) => text.replace('scope runs 3', 'scope runs 2'),
  'interval-that-ends-before-it-begins': (text) =>
    text.replace('scope runs 3', 'scope interval 2026-03-01T00:00:00.000Z 2026-03-01T00:00:00.000Z 3'),
  'governance-not-first': (text) => text.replace('stream governance', 'stream run/0'),
  'runs-that-do-not-ascend': (text) => text.replace('stream run/b', 'stream run/Z'),
  'run-twice': (text) => text.replace('stream run/b', 'stream run/a'),
  'stream-of-another-kind': (text) => text.replace('stream run/b', 'stream conversation/b'),
  'more-events-than-announced': (text) => text.replace('stream run/b 4', 'stream run/b 3'),
  'fewer-events-than-announced': (text) => text.replace('stream run/b 4', 'stream run/b 5'),
  'stream-without-events': (text) => text.replace('stream run/b 4', 'stream run/b 0'),
  'too-many-events': (text) => text.replace('stream run/b 4', 'stream run/b 2000001'),
  'number-with-a-zero-before-it': (text) => text.replace('event 1 ', 'event 01 '),
  'number-with-a-sign': (text) => text.replace('event 1 ', 'event +1 '),
  'number-too-large': (text) => text.replace('event 1 ', 'event 9007199254740992 '),
  'kind-that-is-none': (text) => text.replace(' StepCompleted ', ' stepCompleted '),
  'moment-that-does-not-exist': (text) => text.replace(/T23:59:\d\d\.000Z/, 'T24:00:00.000Z'),
  'day-that-does-not-exist': (text) => text.replace('2026-02-28T', '2026-02-29T'),
  'moment-without-milliseconds': (text) => text.replace('.000Z', 'Z'),
  'writer-that-is-none': (text) => text.replace('claim:c-1@1', 'claim:c-1'),
  'epoch-with-a-zero-before-it': (text) => text.replace('claim:c-1@1', 'claim:c-1@01'),
  'seen-that-is-none': (text) => text.replace(/ (\d+:[0-9a-f]{64})\/-/, ' $1'),
  'hash-in-capitals': (text) =>
    text.replace(/ [0-9a-f]{64}\nbody/, (found) => found.toUpperCase().replace('BODY', 'body')),
  'salt-too-short': (text) => text.replace(/body [0-9a-f]{2}/, 'body '),
  'body-that-was-erased': (text) => text.replace(/body [0-9a-f]{32} \d+\n[^\n]*\n/, `body erased ${'0'.repeat(64)}\n`),
  'body-missing': (text) => text.replace(/body [0-9a-f]{32} \d+\n[^\n]*\n/, ''),
  'text-longer-than-announced': (text) => text.replace(/(body [0-9a-f]{32} )(\d+)/, (_, line, n) => `${line}${n - 1}`),
  'text-too-long': (text) => text.replace(/(body [0-9a-f]{32} )\d+/, '$116777217'),
  'line-too-long': (text) => text.replace('event 1 ', `event 1 ${'A'.repeat(1_024)} `),
  'leaves-that-do-not-ascend': (text) => text.replace(/leaf 3 /, 'leaf 1 '),
  'leaf-of-no-stream': (text) => text.replace(/leaf (\d+) run\/b/, 'leaf $1 b'),
  'too-many-leaves': (text) => text.replace(/leaves \d+/, 'leaves 500001'),
  'proof-too-long': (text) => text.replace(/path \d+/, 'path 64'),
  'no-checkpoint': (text) => text.replace(/checkpoints 3[\s\S]*end/, 'checkpoints 0\nend'),
  'checkpoints-that-do-not-ascend': (text) =>
    text.replace(/checkpoint \d+\n[\s\S]*?tokens 0\n(?=checkpoint \d)/, (first) => first + first),
  'checkpoint-with-an-extension': (text) =>
    text.replace(/checkpoint (\d+)\n([^\n]+\n\d+\n[^\n]+\n)/, (_, n, head) => `checkpoint ${+n + 2}\n${head}x\n`),
  'note-without-a-signature': (text) =>
    text.replace(
      /checkpoint \d+\n([^\n]+\n\d+\n[^\n]+\n)\n— [^\n]+\n— [^\n]+\n/,
      (_, head) => `checkpoint ${head.length}\n${head}`,
    ),
  'base64-with-unused-bits': (text) =>
    text.replace(/(\n\d+\n[A-Za-z0-9+/]{42})(.)=\n/, (_, head, last) => `${head}${next(last)}=\n`),
  'proof-of-the-first-checkpoint': (text) => text.replace('consistency 0\n', `consistency 1\n${'0'.repeat(64)}\n`),
  'token-that-is-none': (text) => text.replace('tokens 0\n', 'tokens 1\nAB==\n'),
  'end-in-capitals': (text) => text.replace('tokens 0\nend', 'tokens 0\nEnd'),
}

/** A letter of base64 that stands for the same bits where only the first four count, and for others in the last two. */
function next(letter: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  return alphabet[alphabet.indexOf(letter) ^ 1]!
}

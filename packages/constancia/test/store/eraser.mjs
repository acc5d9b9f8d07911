// Makes runs that have ended and erases them, one after the other for ever, and says so of each: eraser.mjs FILE
import { randomBytes } from 'node:crypto'
import { defaultLimits, draftOf, nothingSeen, parseRunId } from '../../dist/journal/index.js'
import { systemClock } from '../../dist/store/index.js'
import { sqlite } from '../../dist/store/sqlite/index.js'

const [file = ''] = process.argv.slice(2)
const parts = {
  clock: systemClock,
  randomBytes: (/** @type {number} */ count) => randomBytes(count),
  limits: defaultLimits,
  warn: () => undefined,
}
const store = await sqlite({ file })(parts)
const by = 'principal:ada'
const started = draftOf('FlowStarted', { flow: 'f', version: 1, actor: null, contract: null, patches: [] }, '"Ada"')
const notes = Array.from({ length: 50 }, () => ({ kind: 'Note', body: '{}', data: `"${'Ada '.repeat(100)}"` }))
for (let no = 0; ; no += 1) {
  const drafts = [started, ...notes, draftOf('FlowCompleted', {}, '"of Ada"')]
  await store.create({ run: parseRunId(`r${no}`), drafts, by, seen: nothingSeen })
  const body = JSON.stringify({ texts: [{ stream: `run/r${no}`, from: 0, to: 60 }], principal: null })
  const stream = /** @type {import('../../dist/journal/index.js').StreamId} */ ('governance')
  const drafted = [{ kind: 'Erased', body, data: undefined }]
  await store.record({ stream, head: undefined, drafts: drafted, by, seen: nothingSeen })
  process.stdout.write(`${no}\n`)
}

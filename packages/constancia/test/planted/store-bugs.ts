import type { PlantedBug } from './workbench.js'

const conformance = { file: 'constancia/test/store/conformance.test.ts' }
const sqlite = (name: string): string => `constancia/src/store/sqlite/${name}.ts`

/** Bugs of the journal and its stores. */
export const storeBugs: readonly PlantedBug[] = [
  {
    breaks: 'SQLite does not compare the epoch of an append, so a worker that was replaced can write',
    file: sqlite('claims'),
    find: 'return tip.claimId === given.id && tip.epoch === given.epoch',
    replace: "return tip.fold.outcome === 'open' || given.epoch < 0",
    noticedBy: conformance,
  },
  {
    breaks: 'SQLite says that an event is stored before it is committed',
    file: sqlite('commit'),
    find: '      this.#commit.run()\n',
    replace:
      '      for (const [index, { resolve }] of batch.entries()) resolve(results[index] as never)\n      this.#commit.run()\n',
    noticedBy: { file: 'constancia/test/store/faults.test.ts' },
  },
  {
    breaks: 'SQLite appends although somebody else appended first',
    file: sqlite('journals'),
    find: 'if (before.seq !== head.seq || before.hash !== head.hash) return',
    replace: 'if (before.seq > head.seq + 1000) return',
    noticedBy: conformance,
  },
  {
    breaks: 'SQLite lays a run to rest although a signal came meanwhile',
    file: sqlite('claims'),
    find: 'if (tip.fold.head.seq !== head.seq || tip.fold.head.hash !== head.hash) return false',
    replace: 'if (tip.fold.head.seq < head.seq) return false',
    noticedBy: conformance,
  },
  {
    breaks: 'SQLite takes a run without a new epoch',
    file: sqlite('claim-table'),
    find: 'epoch = epoch + 1, claim_id = ?',
    replace: 'epoch = epoch + 0, claim_id = ?',
    noticedBy: conformance,
  },
  {
    breaks: 'SQLite lets an INSERT OR REPLACE over an event',
    file: `${sqlite('migrations/0001-journal')}`,
    find: 'OR (NEW.id > 0 AND EXISTS (SELECT 1 FROM events WHERE id = NEW.id))',
    replace: '',
    noticedBy: { file: 'constancia/test/store/append-only.test.ts' },
  },
  {
    breaks: 'SQLite does not sync its commits',
    file: sqlite('open'),
    find: "['synchronous', 'FULL', '2']",
    replace: "['synchronous', 'NORMAL', '1']",
    noticedBy: { file: 'constancia/test/store/opening.test.ts' },
  },
  {
    breaks: 'a heart goes on beating for a main loop that stands still for ever',
    file: sqlite('heartbeat-thread'),
    find: 'return nowMs - seenTickMs > data.stallMs',
    replace: 'return nowMs - seenTickMs > data.stallMs * 1000',
    noticedBy: { file: 'constancia/test/store/heartbeat.test.ts' },
  },
  {
    breaks: 'memory does not compare the epoch of an append',
    file: 'constancia/src/store/memory/handle.ts',
    find: 'return row.claim?.id === given.id && row.epoch === given.epoch',
    replace: 'return row.claim !== undefined && given.epoch > 0',
    noticedBy: conformance,
  },
  {
    breaks: 'data that was changed after it was written is not noticed',
    file: 'constancia/src/journal/chain.ts',
    find: '!== event.dataCommit) return',
    replace: "=== '') return",
    noticedBy: { file: 'constancia/test/journal/chain.test.ts' },
  },
  {
    breaks: 'a chain does not cover who wrote an event',
    file: 'verify/src/chain.ts',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source code.
    find: '${header.by}',
    replace: 'somebody',
    noticedBy: { file: 'constancia/test/journal/chain.test.ts' },
  },
  {
    breaks: 'negative zero comes back as zero',
    file: 'constancia/src/journal/scalars.ts',
    find: 'Object.is(value, -0)',
    replace: 'Object.is(value, Number.NaN)',
    noticedBy: { file: 'constancia/test/journal/values.test.ts' },
  },
]

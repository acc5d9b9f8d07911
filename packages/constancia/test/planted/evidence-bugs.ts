import type { PlantedBug } from './workbench.js'

const evidence = (name: string): string => `constancia/src/evidence/log/${name}.ts`
const test = (name: string, tests: string): PlantedBug['noticedBy'] => ({
  file: `constancia/test/evidence/${name}.test.ts`,
  name: tests,
})
const conformance = (tests: string): PlantedBug['noticedBy'] => ({
  file: 'constancia/test/store/conformance.test.ts',
  name: tests,
})

/** Bugs of evidence: sealing, keys, what is kept outside, proving. */
export const evidenceBugs: readonly PlantedBug[] = [
  {
    breaks: 'in memory, of two who seal at once both do',
    file: 'constancia/src/store/memory/log.ts',
    find: 'if (log.leaves.length !== sealing.size)',
    replace: 'if (log.leaves.length < sealing.size)',
    noticedBy: test('sealer', 'two sealers that seal at once never fork'),
  },
  {
    breaks: 'in SQLite, whoever seals does not look how far the log goes',
    file: 'constancia/src/store/sqlite/log.ts',
    find: 'if (size !== sealing.size)',
    replace: 'if (size < sealing.size)',
    noticedBy: conformance('SQLite store conforms: R-G2 of two who seal at once'),
  },
  {
    breaks: 'in PostgreSQL, whoever seals does not look how far the log goes',
    file: 'constancia/src/store/postgres/log.ts',
    find: 'if (found !== before)',
    replace: 'if (found < before)',
    noticedBy: { file: 'constancia/test/postgres/conformance.test.ts', name: 'R-G2 of two who seal at once' },
  },
  {
    breaks: 'in SQLite, ids that a purge gave free are taken for events that were looked at',
    file: 'constancia/src/store/sqlite/migrations/0008-log.ts',
    find: 'cursor = min(cursor,',
    replace: 'cursor = max(cursor,',
    noticedBy: conformance('SQLite store conforms: R-G2 what is written after a purge'),
  },
  {
    breaks: 'in PostgreSQL, what a transaction commits that was open while others were sealed is never looked at',
    file: 'constancia/src/store/postgres/log-growth.ts',
    find: ' OR e.xid = ANY ($2::bigint[])',
    replace: ' OR (e.xid = -1 AND e.xid = ANY ($2::bigint[]))',
    noticedBy: { file: 'constancia/test/postgres/log.test.ts', name: 'what a transaction commits that was open' },
  },
  {
    breaks: 'a journal that is purged before it was sealed is never sealed',
    file: 'constancia/src/store/sqlite/log-table.ts',
    find: 'WHERE o.stream IN (SELECT value FROM json_each(?1))',
    replace: 'WHERE o.stream < 0',
    noticedBy: conformance('SQLite store conforms: R-G2 a journal that was purged before'),
  },
  {
    breaks: 'a tile that is full does not count in the level above it',
    file: evidence('tree'),
    find: 'push(levels, whole, { level: level + 1, hash: above })',
    replace: 'if (level > 0) push(levels, whole, { level: level + 1, hash: above })',
    noticedBy: test('prove', 'memory: R-G2 a log of more leaves than a tile'),
  },
  {
    breaks: 'what changes nothing for an hour is not sealed',
    file: evidence('sealing'),
    find: '>= quietMsMax',
    replace: '>= quietMsMax * 100_000',
    noticedBy: test('sealer', 'R-G2 what changed is sealed within 10 seconds'),
  },
  {
    breaks: 'a key that was retired signs on',
    file: evidence('keys'),
    find: "if (known?.state === 'active')",
    replace: 'if (known !== undefined)',
    noticedBy: { file: 'constancia/test/cli/evidence.test.ts', name: 'keys are added and retired' },
  },
  {
    breaks: 'signatures get into the log unseen',
    file: evidence('keys'),
    find: 'if (nodeCrypto.verifyEd25519(key.publicKey, message, signature))',
    replace: 'if (signature.length === 64)',
    noticedBy: test('sealer', 'a signer whose signatures are wrong'),
  },
  {
    breaks: 'a database that is behind what is kept outside is worked on',
    file: evidence('comparison'),
    find: 'await store.hold(message)',
    replace: 'void message',
    noticedBy: test('sealer', 'C60'),
  },
  {
    breaks: 'events that no checkpoint covers get into a file',
    file: evidence('prove'),
    find: 'yield streamOf(runStream(run), sealedSeq, withhold)',
    replace: 'yield streamOf(runStream(run), sealedSeq + 1, withhold)',
    noticedBy: test('prove', 'memory: what is not sealed yet'),
  },
  {
    breaks: 'runs that were purged are forgotten where it is claimed that these are all',
    file: evidence('prove'),
    find: 'if (count === 0)',
    replace: 'if (count >= 0)',
    noticedBy: test('prove', 'memory: all runs of an interval'),
  },
  {
    breaks: 'a receipt tells of the events behind its own what they carry',
    file: evidence('receipt'),
    find: 'all.push(...events.map(bare))',
    replace: 'all.push(...events.map((one) => bundleEventOf(one, {})))',
    noticedBy: test('receipt', 'memory: R-G4 one decision and one effect'),
  },
  {
    breaks: 'a receipt takes the last leaf of its run, and with it all that happened since',
    file: evidence('receipt'),
    find: 'leaf = covering.at(-1) ?? leaf',
    replace: 'leaf = covering.at(0) ?? leaf',
    noticedBy: test('receipt', 'memory: what is not sealed yet has no receipt'),
  },
  {
    breaks: 'a receipt rests on a checkpoint that a compromised key signed',
    file: evidence('receipt'),
    find: 'size > (lastGoodSize ?? size)',
    replace: 'size > (lastGoodSize ?? size) + 1_000_000',
    noticedBy: test('receipt', 'memory: R-G3 C60 a checkpoint that a compromised key'),
  },
  {
    breaks: 'a journal that was made anew passes for the one that was sealed',
    file: evidence('monitor'),
    find: 'if (leaf !== undefined && leaf.hash !== hash)',
    replace: "if (leaf !== undefined && leaf.hash === '')",
    noticedBy: test('insider', 'a journal that is made anew'),
  },
  {
    breaks: 'what a writer knows of the log is not in what it writes',
    file: 'constancia/src/journal/event.ts',
    find: "checkpoint !== '-' && seen.endsWith('/-')",
    replace: "checkpoint === '' && seen.endsWith('/-')",
    noticedBy: conformance('memory store conforms: whatever is written through a handle'),
  },
]

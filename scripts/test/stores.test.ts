/**
 * What R-A, R-B and R-C ask is proven on PostgreSQL by the same tests as on SQLite. Most of them are made once for each store of
 * a table, which has PostgreSQL in it in a campaign (`engine/stores.ts`), or always. This is the list of all others.
 */
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { storesFor } from '../../packages/constancia/test/engine/stores.js'
import { readSources } from '../tidy/source.mjs'
import { testFiles, testsOf } from '../tidy/test-names.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = 'packages/constancia/test/'
// Whatever is in these is about PostgreSQL.
const onPostgres = /^(?:postgres|fleet)\//
const tables = /\b(?:stores|storeKinds)\b/

/** What runs on SQLite for itself, and where the same is shown on PostgreSQL: every id that it has is there as well. */
const twins: Readonly<Record<string, string>> = {
  'cli/worker.test.ts': 'postgres/fleet.test.ts',
  'processes/restart.test.ts': 'fleet/recovery.test.ts',
  'processes/sigkill.test.ts': 'fleet/sigkill.test.ts',
  'store/append-only.test.ts': 'postgres/append-only.test.ts',
  'store/heartbeat.test.ts': 'postgres/heartbeat.test.ts',
}

/** What is on no PostgreSQL, and why. */
const exceptions: Readonly<Record<string, string>> = {
  'cli/migrate-store.test.ts': 'moves from one store to the other',
  'golden/transacted.test.ts': 'has a test for each of the two databases',
  'governance/transacting.test.ts':
    'the cases of SQLite, and what opening says; those of PostgreSQL: postgres/transacting',
  'governance/transacting.ts': 'is played on SQLite by governance/transacting, on PostgreSQL by postgres/transacting',
  'store/transactions.test.ts': 'what SQLite refuses within a transaction; on PostgreSQL: postgres/transacting',
  'cli/voting.test.ts': 'what the command line says; the statement itself: governance/effects',
  'engine/cancelling-races.test.ts':
    'meets the moment of an end by its duration in a file; each order of the two: engine/cancellation',
  'engine/claims.test.ts': 'processes that are really stopped and killed; on both stores: processes/takeover',
  'engine/fleet.test.ts': 'what a worker is told to say of itself, before any store',
  'engine/imports.test.ts': 'asks what the engine imports',
  'engine/retries.test.ts': 'pauses are computed, no store is open',
  'engine/retry-after.test.ts': 'headers are read, no store is open',
  'engine/starting.test.ts': 'options are refused before a store is opened',
  'golden/families-under-way.test.ts': 'in memory, at every moment; at two of them on each store',
  'golden/family-kit.test.ts': 'the crash kit itself',
  'golden/governed.test.ts': 'crashes in memory and on SQLite; the rule itself on each store: governance/effects',
  'golden/kit.test.ts': 'the crash kit itself',
  'golden/random-families.test.ts': 'in memory, where thousands are tried',
  'golden/random-flows.test.ts': 'in memory, where thousands are tried',
  'golden/replay-determinism.test.ts': 'shapes of code in memory; the replay of them all on each store',
  'golden/suite.ts': 'in memory, twice; single crashes on each store',
  'governance/again.test.ts':
    'moments between two calls of a store, in memory; races on each store: governance/effect-races',
  'governance/interleavings.test.ts':
    'every order of two workers, in memory; crashes and takeovers of the same flows on each store: golden/governed',
  'governance/opening.test.ts': 'a contract is refused before a store is opened',
  'governance/stopping.test.ts':
    'a worker that stops at one moment, in memory; what is in doubt, on each store: governance/doubts',
  'journal/errors.test.ts': 'values and texts, no store',
  'journal/limits.test.ts': 'values and texts, no store',
  'journal/permanent.test.ts': 'values and texts, no store',
  'journal/reading.test.ts': 'values and texts, no store',
  'journal/refusals.test.ts': 'values and texts, no store',
  'journal/values.test.ts': 'values and texts, no store',
  'kept/kept.test.ts': 'journals that were kept as texts, replayed in memory',
  'processes/kill-judge.test.ts': 'the judge of the kill kit itself',
  'processes/takeover.test.ts': 'a line to PostgreSQL that is cut; the rest on both stores',
  'readme/readme.test.ts': 'the example of the README, as it is printed',
  'scale/memory.test.ts': 'the memory of a process with SQLite in it; on both stores: processes/crowd',
  'scale/waiting.test.ts': 'how often a store is asked, in memory',
  'schedule/crashing.test.ts': 'going on as another run, in memory; all else on each store',
  'schedule/declaring.test.ts': 'what is declared anew, in memory',
  'store/approvals.test.ts': 'a file that was edited by hand; rebuilt rows: the conformance suite',
  'store/erasing.test.ts':
    'pages and triggers of a file; rights and triggers there: postgres/erasing; the rule itself: the conformance suite',
  'store/limits.test.ts': 'what a claim looks at in SQLite and in memory; the rule itself: the conformance suite',
}

interface FoundTest {
  readonly path: string
  readonly ids: readonly string[]
  readonly tables: readonly string[]
}

const all: readonly FoundTest[] = testFiles(readSources(root, [folder.slice(0, -1)])).flatMap(testsOf)
// Those that are planted are patches.
const found = all.filter(({ ids, path }) => !path.includes('/planted/') && ids.some((id) => /^R-[ABC]/.test(id)))
const placeOf = ({ path }: FoundTest): string => path.slice(folder.length)
const isOnEach = (test: FoundTest): boolean =>
  onPostgres.test(placeOf(test)) || test.tables.some((one) => tables.test(one))

it('what R-A, R-B and R-C ask is shown on PostgreSQL, or it is said why not', () => {
  const others = found.filter((test) => !isOnEach(test)).map(placeOf)
  expect([...new Set(others)].sort()).toEqual([...Object.keys(twins), ...Object.keys(exceptions)].sort())
  expect(found.filter(isOnEach).length).toBeGreaterThan(others.length)
})

it('what has a test of its own on PostgreSQL has one for each of its ids', () => {
  for (const [path, twin] of Object.entries(twins)) {
    const idsIn = (place: string): string[] => found.filter((test) => placeOf(test) === place).flatMap(({ ids }) => ids)
    const asked = idsIn(path).filter((id) => id.startsWith('R-'))
    expect(asked.length, path).toBeGreaterThan(0)
    expect(idsIn(twin), twin).toEqual(expect.arrayContaining(asked))
  }
})

it('a campaign has PostgreSQL among the stores, and so has whoever asks for it', () => {
  expect(storesFor({ CONSTANCIA_CAMPAIGN: '1' })).toEqual(['memory', 'SQLite', 'PostgreSQL'])
  expect(storesFor({ CONSTANCIA_TEST_STORES: 'PostgreSQL' })).toEqual(['PostgreSQL'])
  expect(storesFor({})).toEqual(['memory', 'SQLite'])
})

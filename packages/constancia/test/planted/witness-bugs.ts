import type { PlantedBug } from './workbench.js'

const evidence = (name: string): string => `constancia/src/evidence/log/${name}.ts`
const test = (name: string, tests: string): PlantedBug['noticedBy'] => ({
  file: `constancia/test/evidence/${name}.test.ts`,
  name: tests,
})

/** Bugs of witnesses: what they cosign and remember, what is kept of it, and what verifiers make of it. */
export const witnessBugs: readonly PlantedBug[] = [
  {
    breaks: 'a witness keeps the next checkpoint whatever it has kept meanwhile',
    file: 'constancia/src/store/sqlite/witness-file.ts',
    find: '(this.last(origin)?.size ?? 0) !== oldSize',
    replace: 'oldSize < 0',
    noticedBy: test('witness', 'of requests at once one goes on|does not go back'),
  },
  {
    breaks: 'a witness answers before what it keeps is durable',
    file: 'constancia/src/evidence/witness/witness.ts',
    find: 'const isKept = this.#parts.state.advance(this.#headOf(request, seconds), oldSize)',
    replace: `const isKept = oldSize >= 0
    setImmediate(() => this.#parts.state.advance(this.#headOf(request, seconds), oldSize))`,
    noticedBy: test('witness-kill', 'before: knows after it'),
  },
  {
    breaks: 'a witness cosigns another root of the size that it has cosigned',
    file: 'constancia/src/evidence/witness/witness.ts',
    find: 'last.root !== hexOf(checkpoint.root)',
    replace: "last.root === ''",
    noticedBy: test('witness', '409 for another root'),
  },
  {
    breaks: 'a witness believes a log without its proof',
    file: 'constancia/src/evidence/witness/witness.ts',
    find: '      : await checkConsistency(nodeCrypto, { before, after: checkpoint }, proof)',
    replace: '      : before.size < checkpoint.size',
    noticedBy: test('witness', '422 where the proof fails'),
  },
  {
    breaks: 'a witness cosigns what a known key has not signed',
    file: 'constancia/src/evidence/witness/witness.ts',
    find: "return found.includes('valid') && !found.includes('wrong')",
    replace: "return !found.includes('wrong')",
    noticedBy: test('witness', '403 where no key'),
  },
  {
    breaks: 'two processes are one witness at once',
    file: 'constancia/src/store/sqlite/witness-file.ts',
    find: "lock.exec('BEGIN EXCLUSIVE')",
    replace: "lock.exec('BEGIN DEFERRED')",
    noticedBy: test('witness', 'is one process at a time'),
  },
  {
    breaks: 'what a witness answers is kept unseen',
    file: evidence('cosigning'),
    find: "if (signed !== 'valid')",
    replace: 'if (signed === undefined)',
    noticedBy: test('cosigning', 'what a witness answers is kept only'),
  },
  {
    breaks: 'a bundle leaves out what witnesses have signed',
    file: evidence('cosigned'),
    find: "if (parsed.kind === 'note') whole = parsed.note",
    replace: "if (parsed.kind === 'refused') whole = note",
    noticedBy: test('cosigning', 'each checkpoint is cosigned'),
  },
  {
    breaks: 'a verifier lets a wrong cosignature of a witness pass',
    file: 'verify/src/report/witness-check.ts',
    find: "if (signed === 'wrong')",
    replace: "if (signed === 'absent' && size < 0)",
    noticedBy: { file: 'verify/test/bundle/vectors.test.ts', name: 'witness-' },
  },
  {
    breaks: 'a verifier takes the cosignature of an early checkpoint for what came after it',
    file: 'verify/src/report/witness-check.ts',
    find: 'size > Math.max(lastIndex, 0)',
    replace: 'size > 0',
    noticedBy: { file: 'verify/test/bundle/vectors.test.ts', name: 'unwitnessed-' },
  },
]

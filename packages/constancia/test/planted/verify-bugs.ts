import type { PlantedBug } from './workbench.js'

const report = (name: string): string => `verify/src/report/${name}.ts`
const vector = (name: string): PlantedBug['noticedBy'] => ({ file: 'verify/test/bundle/vectors.test.ts', name })

/** Bugs of the verifier of files: its hashes, its trees, its notes, its verdict. */
export const verifyBugs: readonly PlantedBug[] = [
  {
    breaks: 'a verifier does not compare what it has hashed',
    file: report('chain-check'),
    find: 'if (!sameBytes(hash, event.hashBytes))',
    replace: 'if (hash.length !== event.hashBytes.length)',
    noticedBy: vector('forged-text-changed'),
  },
  {
    breaks: 'a verifier lets moments go back along a stream',
    file: report('chain-check'),
    find: 'if (event.at < stream.lastAt)',
    replace: 'if (event.at < 0)',
    noticedBy: vector('operator-moment-goes-back'),
  },
  {
    breaks: 'a verifier does not compare a leaf with the event that it seals',
    file: report('leaf-check'),
    find: 'else if (stated !== hash)',
    replace: "else if (stated === '')",
    noticedBy: vector('forged-chained-anew'),
  },
  {
    breaks: 'a verifier does not look whether a tree begins with all of the one before it',
    file: 'verify/src/merkle/check.ts',
    find: 'return last === 0 && sameBytes(old, before.root) && sameBytes(root, after.root)',
    replace: 'return last === 0 && sameBytes(root, after.root)',
    noticedBy: { file: 'verify/test/merkle/proofs.test.ts', name: 'between any two sizes' },
  },
  {
    breaks: 'a verifier lets a retired key sign on',
    file: report('checkpoint-check'),
    find: 'return governanceSeq !== undefined && isActive(known, governanceSeq) && size <= known.sizeMax',
    replace: 'return governanceSeq !== undefined && size <= known.sizeMax',
    noticedBy: vector('signer-retired-and-back-dated'),
  },
  {
    breaks: 'a verifier lets a stolen key count beyond what is known to be good',
    file: report('checkpoint-check'),
    find: 'return governanceSeq !== undefined && isActive(known, governanceSeq) && size <= known.sizeMax',
    replace: 'return governanceSeq !== undefined && isActive(known, governanceSeq)',
    noticedBy: vector('signer-compromised'),
  },
  {
    breaks: 'a verifier takes two texts for the same bytes in base64',
    file: 'verify/src/bytes.ts',
    find: 'return base64Of(bytes) === text ? bytes : undefined',
    replace: 'return bytes',
    noticedBy: vector('unreadable-base64-with-unused-bits'),
  },
  {
    breaks: 'a verifier takes what has no answer for proven',
    file: report('findings'),
    find: "result === 'not_evaluated' || !names",
    replace: '!names',
    noticedBy: vector('withheld-vote-body'),
  },
  {
    breaks: 'a verifier believes that a writer has seen a checkpoint that was made after its event',
    file: report('leaf-check'),
    find: 'checkpoint[1] > index',
    replace: 'checkpoint[1] > index + 1_000',
    noticedBy: vector('operator-checkpoint-that-came-later'),
  },
  {
    breaks: 'the proof of a leaf is taken for one in a tree of any size',
    file: report('leaf-check'),
    find: '!fitsSize(index, last.size',
    replace: 'index < 0 && !fitsSize(index, last.size',
    noticedBy: vector('forged-last-leaf-with-twice-its-index'),
  },
]

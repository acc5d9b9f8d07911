/** What tidy holds the tree to: its numbers and its tables. A new exception is a line here, with its reason. */

export const lineCountUsual = 200
export const lineCountMax = 400
export const functionLineCountMax = 70
export const parameterCountMax = 3

/** Layers of `packages/constancia/src` and, for each, those whose faces it may import. */
export const layers = {
  journal: [],
  store: ['journal'],
  engine: ['journal', 'store'],
  schedule: ['journal', 'store', 'engine'],
  evidence: ['journal', 'store'],
  governance: ['journal', 'store', 'engine', 'schedule', 'evidence'],
  agent: ['journal', 'store', 'engine', 'evidence', 'governance'],
  server: ['journal', 'store', 'engine', 'evidence', 'governance', 'agent'],
  cli: ['journal', 'store', 'engine', 'schedule', 'evidence', 'governance', 'agent', 'server'],
  testing: ['journal', 'store', 'engine', 'schedule', 'evidence', 'governance', 'agent', 'server', 'cli'],
}

/** Folders inside a layer that are closed off like layers of their own, and who may import their faces. */
export const subFaces = {
  'store/memory': ['server', 'cli', 'testing'],
  'store/sqlite': ['server', 'cli', 'testing'],
  'store/postgres': ['server', 'cli', 'testing'],
  'governance/presentation': ['server', 'cli'],
  'evidence/witness': ['cli', 'testing'],
  'evidence/log': ['governance', 'server', 'cli', 'testing'],
}

/** Packages of this repository that a layer may import, besides those below it. */
export const ownPackages = {
  'packages/constancia/src': [
    '@constancia/verify',
    '@constancia/verify/chain',
    '@constancia/verify/condition',
    '@constancia/verify/governance',
  ],
  'packages/verify/src': [],
}

/** Third-party packages, by the files that may import them. Everything else reaches them through these. */
export const thirdParty = {
  'packages/constancia/src/schedule/pattern.ts': ['croner'],
  'packages/constancia/src/store/sqlite/driver.ts': ['@photostructure/sqlite'],
  'packages/constancia/src/store/postgres/driver.ts': ['pg'],
  'packages/constancia/src/governance/contract/condition-types.ts': ['@marcbachmann/cel-js'],
  'packages/constancia/src/cli/program.ts': ['commander'],
  'packages/constancia/src/cli/modules.ts': ['jiti'],
}

/** Packages of that table that are no drivers: plain JavaScript without dependencies, always installed. Any face may pull them in. */
export const plainPackages = ['croner']

/** Faces that may pull a driver in, besides those of the folder that the driver is in. */
export const facesWithDrivers = {}

/** The one file of the verifier that stands on Node.js; a browser never loads it, because no other file imports it. */
export const verifierOnNode = 'packages/verify/src/node.ts'

export const forbiddenNames = ['utils', 'helpers', 'common', 'types', 'misc']

/** Calls that a source file must not make, and what to do instead. */
export const bannedCalls = {
  'Date.now': 'Take the time as an argument, or from a `Clock`.',
  'new Date()': 'Take the time as an argument, or from a `Clock`.',
  'Date()': 'Take the time as an argument, or from a `Clock`.',
  'Math.random': 'Take randomness as an argument.',
  'performance.now': 'Take `monotonic()` of a `Clock`.',
  'process.hrtime': 'Take `monotonic()` of a `Clock`.',
  setTimeout: 'Use `after` of a `Clock`.',
  setInterval: 'Use `after` of a `Clock`.',
  'node:timers': 'Use `after` of a `Clock`.',
  'node:timers/promises': 'Use `after` of a `Clock`.',
  generateKeyPairSync:
    'Make a key of random bytes: Node.js 20 waits for itself for ever where a collection finds what generated a key while that is written as JWK.',
  console: 'Return it, or pass it to the log that the caller gave.',
  'process.exit': 'Throw, or return: only the command line ends a process.',
}

/** Where a banned call is allowed after all: path or folder, calls, reason. */
export const allowedCalls = [
  {
    path: 'packages/constancia/src/store/clock.ts',
    calls: ['Date.now', 'performance.now', 'setTimeout'],
    reason: 'the one file that asks the machine for the time',
  },
  {
    path: 'packages/constancia/src/store/sqlite/commit.ts',
    calls: ['setTimeout'],
    reason: 'waits for the lock that another process holds on a real file, and keeps this process alive meanwhile',
  },
  {
    path: 'packages/constancia/src/store/sqlite/patience.ts',
    calls: ['setTimeout'],
    reason: 'waits for the lock that another process holds on a real file, and keeps this process alive meanwhile',
  },
  {
    path: 'packages/constancia/src/store/sqlite/heartbeat.ts',
    calls: ['setInterval', 'setTimeout'],
    reason: 'shows the thread of leases that the real event loop turns; a simulated clock has no thread',
  },
  {
    path: 'packages/constancia/src/store/sqlite/heartbeat-thread.ts',
    calls: ['setInterval'],
    reason: 'renews leases in a thread of its own, in real time whatever the event loop does',
  },
  {
    path: 'packages/constancia/src/store/postgres/heartbeat.ts',
    calls: ['setInterval', 'setTimeout'],
    reason: 'shows the thread of leases that the real event loop turns; a simulated clock has no thread',
  },
  {
    path: 'packages/constancia/src/store/postgres/heartbeat-thread.ts',
    calls: ['setInterval'],
    reason: 'renews leases in a thread of its own, in real time whatever the event loop does',
  },
  { path: 'packages/constancia/src/cli/', calls: ['console', 'process.exit'], reason: 'its output is its purpose' },
  { path: 'packages/constancia/src/testing/', calls: ['console'], reason: 'the crash kit prints its table' },
]

/** Ids that a test name may carry: requirements by letter, cases and tests of the reliability programme. */
export const requirementCounts = { A: 12, B: 12, C: 5, D: 10, E: 13, F: 6, G: 7, H: 4 }
export const caseCountMax = 60
export const programmeCountMax = 30

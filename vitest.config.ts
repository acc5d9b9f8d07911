import { accessSync, constants, statfsSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// What takes minutes begins first, so that it does not run alone at the end.
const longest = [
  'fleet/sigkill',
  'planted/planted',
  'processes/sigkill',
  'golden/golden.',
  'fleet/sharing',
  'golden/families.',
  'golden/random',
  'fleet/limits',
  'golden/families-under-way',
  'fleet/recovery',
  'golden/governed',
  'postgres/cuts',
  'postgres/engine',
  'governance/authority',
  'governance/effect-races',
  'migration/',
]

const everywhere = ['packages/*', 'examples/*', 'bench', 'scripts'].map((folder) => `${folder}/test/**/*.test.ts`)

// These neither start processes nor look at what is alive in their own: a process for each would take longer than most of them.
const together = [
  'packages/constancia/test/engine/!(claims|deploys|failures|limits|stopping|timers).test.ts',
  'packages/constancia/test/governance/!(parked).test.ts',
  'packages/constancia/test/journal/*.test.ts',
  'packages/constancia/test/schedule/!(running).test.ts',
  'packages/verify/test/!(reader|second-verifier).test.ts',
  'packages/verify/test/!(scale|page)/**/*.test.ts',
]

const installed = '**/node_modules/**'

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Those of one process last and one after the other: it is kept as long as the next one wants it too.
    const place = ({ moduleId, project }: TestSpecification): number => {
      const index = longest.findIndex((name) => moduleId.includes(name))
      if (index >= 0) return index
      return project.config.isolate ? longest.length : longest.length + 1
    }
    return [...files].sort((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1))
  }
}

const roomMin = 4 * 2 ** 30

/**
 * Where tests keep their files: in memory, where there is room. What a process wrote is with the kernel when it ends, so that
 * nothing but waiting for the disk is left out.
 */
function memoryFolder(): string | undefined {
  const folder = '/dev/shm'
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize >= roomMin ? folder : undefined
  } catch {
    return undefined
  }
}

const folder = process.env['TMPDIR'] === undefined ? memoryFolder() : undefined

export default defineConfig({
  test: {
    environment: 'node',
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // One more than the processors of a small machine: most tests also wait, for a disk, a lease or another process.
    maxWorkers: 3,
    // A slow machine is no failure.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    teardownTimeout: 60_000,
    env: folder === undefined ? {} : { TMPDIR: folder },
    // What is tested is what is published: Node.js loads the built files itself, untransformed and one instance each.
    server: { deps: { external: [/\/(packages|examples)\/[^/]+\/dist\//] } },
    projects: [
      { extends: true, test: { name: 'alone', include: everywhere, exclude: [installed, ...together] } },
      {
        extends: true,
        test: {
          name: 'together',
          include: together,
          exclude: [installed],
          isolate: false,
          setupFiles: ['scripts/fresh-modules.mjs'],
        },
      },
    ],
  },
})

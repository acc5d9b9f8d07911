import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// What takes minutes begins first, so that it does not run alone at the end.
const longest = [
  'planted/planted',
  'processes/sigkill',
  'fleet/sigkill',
  'golden/golden',
  'golden/families',
  'golden/random',
  'migration/',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification): number => {
      const index = longest.findIndex((name) => moduleId.includes(name))
      return index < 0 ? longest.length : index
    }
    return [...files].sort((a, b) => place(a) - place(b) || (a.moduleId < b.moduleId ? -1 : 1))
  }
}

export default defineConfig({
  test: {
    environment: 'node',
    include: [
      'packages/*/test/**/*.test.ts',
      'examples/*/test/**/*.test.ts',
      'bench/test/**/*.test.ts',
      'scripts/test/**/*.test.ts',
    ],
    pool: 'forks',
    sequence: { sequencer: LongestFirst },
    // One more than the processors of a small machine: most tests also wait, for a disk, a lease or another process.
    maxWorkers: 3,
    // A slow machine is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    // What is tested is what is published: Node.js loads the built files itself, untransformed and one instance each.
    server: { deps: { external: [/\/(packages|examples)\/[^/]+\/dist\//] } },
  },
})

import type { PlantedBug } from './workbench.js'

const golden = { file: 'constancia/test/readme/readme.test.ts' }

/** Bugs of the engine. */
export const engineBugs: readonly PlantedBug[] = [
  {
    breaks: 'the key of an effect changes with every claim, so that no destination can know it again',
    file: 'constancia/src/engine/step.ts',
    find: '`${host.runId}/${this.id}`',
    replace: '`${host.runId}/${this.id}/${host.claim.epoch}`',
    noticedBy: golden,
  },
]

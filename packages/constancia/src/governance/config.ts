import type { OpenOptions } from '../schedule/index.js'
import type { Contract } from './contract/contract.js'

/**
 * What a project is: where its runs live, its flows, its schedules, and the contract that governs them. The default export of
 * `constancia.config.ts`, which the command line loads.
 */
export interface Config extends Omit<OpenOptions, 'parts'> {
  /** What `contract()` declared. It governs once it was put in force: `constancia contract activate`. */
  readonly contract?: Contract
}

/** Returns what it is given; an editor then knows what may stand in a `constancia.config.ts`. */
export function defineConfig(config: Config): Config {
  return config
}

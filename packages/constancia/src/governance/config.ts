import type { OpenOptions } from './open.js'

/**
 * What a project is: where its runs live, its flows, its schedules, and the contract that governs them. The default export of
 * `constancia.config.ts`, which the command line loads, and what `open` takes.
 */
export type Config = Omit<OpenOptions, 'parts'>

/** Returns what it is given; an editor then knows what may stand in a `constancia.config.ts`. */
export function defineConfig(config: Config): Config {
  return config
}

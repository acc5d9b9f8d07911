import { engineError } from './errors.js'
import type { AnyFlow } from './flow.js'

/** The flows that a process has, by name and version. */
export class FlowRegistry {
  readonly #flows = new Map<string, AnyFlow>()

  /** Throws `invalid_option` where a name and version is there twice. */
  constructor(flows: readonly AnyFlow[]) {
    for (const flow of flows) {
      const key = keyOf(flow.name, flow.version)
      if (this.#flows.has(key)) {
        throw engineError(
          'invalid_option',
          `Flow ${key} is registered twice. Nothing was started; give one of them another name or version.`,
        )
      }
      this.#flows.set(key, flow)
    }
  }

  get all(): readonly AnyFlow[] {
    return [...this.#flows.values()]
  }

  find(name: string, version: number): AnyFlow | undefined {
    return this.#flows.get(keyOf(name, version))
  }
}

/** A flow and its version in one word: `pay-invoice@2`. */
export function keyOf(name: string, version: number): string {
  return `${name}@${version}`
}

import { randomBytes } from 'node:crypto'
import { type AnyFlow, type LogLevel, type Runtime, type StartCompanion, stderrLogger } from '../engine/index.js'
import type { EvidenceOptions } from '../evidence/index.js'
import { defaultLimits } from '../journal/index.js'
import { open as openPlain, type OpenOptions as ScheduleOptions } from '../schedule/index.js'
import { systemClock } from '../store/index.js'
import type { Contract } from './contract/contract.js'
import { requireTypes } from './contract/typed.js'
import { governanceError } from './errors.js'
import { type Governance, governanceOn } from './governance.js'
import { isGoverned } from './governed-flow.js'
import { declaredFlow, Government } from './government.js'
import { LawBook } from './law-book.js'

/** What {@link open} takes. */
export interface OpenOptions extends ScheduleOptions {
  /** What governs the flows that have `resume`. Its actions are what executes; what may happen, the contracts in the store say. */
  readonly contract?: Contract
  /**
   * Makes evidence of what the store holds: seals it under a key, and keeps checkpoints outside. A runtime with a worker seals, beside its
   * worker; others only say in what they write which checkpoint they know. See `docs/evidence.md`.
   */
  readonly evidence?: EvidenceOptions
}

/**
 * Opens a store and, unless told otherwise, a worker on it. Keeps the process alive until it is closed. When it resolves, every
 * schedule of `schedules` is declared durably, unless this process only looks (`worker: false`): what was declared differently before
 * is replaced from now on. Throws faults of the store, each of which says what to do, `invalid_option`, `run_exists` where the id of a
 * schedule's run belongs to another flow,
 * `ungoverned_flow` for a governed flow that no contract at hand speaks of, and `invalid_contract` for a condition whose types do not fit.
 */
export async function open(options: OpenOptions & { readonly contract: Contract }): Promise<GovernedRuntime>
export async function open(options: OpenOptions): Promise<Runtime>
export async function open(options: OpenOptions): Promise<Runtime> {
  const { contract, evidence, ...given } = options
  const rest = evidence === undefined ? given : await withEvidence(given, evidence)
  const flows = [...rest.flows, ...(rest.schedules ?? []).map(({ flow }) => flow)]
  requireGoverned(flows, contract)
  if (contract === undefined) return openPlain(rest)
  await requireTypes(contract.declared)
  const limits = { ...defaultLimits, ...options.limits }
  const clock = options.parts?.clock ?? systemClock
  const book = new LawBook(undefined, clock)
  const government = new Government({ book, contract, limits, clock })
  const runtime = await openPlain({ ...rest, parts: { ...rest.parts, governing: government } })
  const random = options.parts?.randomBytes ?? randomBytes
  const governance = governanceOn({ store: government.store, book, contract, clock, limits, randomBytes: random })
  return Object.assign(runtime, { governance })
}

// What seals is loaded where somebody seals: it is a quarter of all code.
async function withEvidence(options: ScheduleOptions, evidence: EvidenceOptions): Promise<ScheduleOptions> {
  const { knowCheckpoint, requireOrigin, startSealing } = await import('../evidence/log/index.js')
  requireOrigin(evidence.origin)
  const { log = stderrLogger, parts } = options
  const tell = (level: LogLevel, message: string): void => log(level, message, {})
  const clock = parts?.clock ?? systemClock
  const host = { clock, randomBytes: parts?.randomBytes ?? randomBytes, tell }
  const companion: StartCompanion = async (store) => {
    if (options.worker !== false) return startSealing(evidence, { ...host, store })
    await knowCheckpoint(store)
    return { stop: async () => undefined }
  }
  return { ...options, parts: { ...parts, companion } }
}

/** A runtime with a contract. */
export type GovernedRuntime = Runtime & {
  /** Who may, and what people decide. */
  readonly governance: Governance
}

function requireGoverned(flows: readonly AnyFlow[], contract: Contract | undefined): void {
  for (const flow of flows) {
    if (!isGoverned(flow)) continue
    const name = `${flow.name}@${flow.version}`
    if (contract === undefined) {
      throw governanceError(
        'ungoverned_flow',
        `Flow ${name} is governed, and this runtime has no contract. Nothing was opened; pass the contract that speaks of it.`,
      )
    }
    if (declaredFlow(contract.declared, flow) !== undefined) continue
    throw governanceError(
      'ungoverned_flow',
      `Flow ${name} is governed, and contract ${contract.declared.name} ${contract.declared.version} does not speak of it. Nothing was opened; add it to the contract's flows.`,
    )
  }
}

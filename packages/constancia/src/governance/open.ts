import { randomBytes } from 'node:crypto'
import type { AnyFlow, Runtime } from '../engine/index.js'
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
  const { contract, ...rest } = options
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

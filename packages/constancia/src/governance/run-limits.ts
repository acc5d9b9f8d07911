import { countedLimits, type DeclaredLimits, limitPassed, type UsedUp, usedWith } from '@constancia/verify/governance'
import type { Host } from '../engine/index.js'
import type { OpId } from '../journal/index.js'
import type { Government } from './government.js'
import { bodyOf } from './kinds.js'

/**
 * Which limit an op would pass with an action of so many cents, in words; undefined while the run may go on. Counted are intents of
 * different ops, whatever came of them.
 */
export function exceededLimit(
  government: Government,
  host: Host,
  next: { readonly op: OpId; readonly cents: number },
): string | undefined {
  const { guarded: run } = host
  if (run === undefined) return
  const contracts = government.contractsOf(run)
  // Most contracts have none, and what a run has done is read through for them alone.
  if (contracts.every(({ limits }) => countedLimits.every((name) => limits[name] === undefined))) return
  const intents = host.addedOf('ActionAuthorized').map((event) => bodyOf(event, 'ActionAuthorized'))
  const used = usedWith(intents, next, government.basis.nowMs - run.startedAtMs)
  const passed = limitPassed(contracts, used)
  return passed === undefined ? undefined : exceeded(passed.name, passed.limits)
}

function exceeded(name: keyof UsedUp, limits: DeclaredLimits): string {
  return `It would be more than a run may use: ${name} is limited to ${limits[name]} by the contract. Raise the limit there, or start a run that needs less.`
}

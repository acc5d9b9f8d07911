import type { DeclaredLimits } from '@constancia/verify'
import type { Host } from '../engine/index.js'
import type { Government } from './government.js'
import { bodyOf } from './kinds.js'

const counted = ['actions', 'cents', 'runMs'] as const

/**
 * Which limit one more action of so many cents would pass, in words; undefined while the run may go on. Counted are intents,
 * whatever came of them.
 */
export function exceededLimit(government: Government, host: Host, cents: number): string | undefined {
  const { guarded: run } = host
  if (run === undefined) return
  const contracts = government.contractsOf(run)
  // Most contracts have none, and what a run has done is read through for them alone.
  if (contracts.every(({ limits }) => counted.every((name) => limits[name] === undefined))) return
  const intents = host.addedOf('ActionAuthorized').map((event) => bodyOf(event, 'ActionAuthorized'))
  const first = new Map(intents.map((intent) => [intent.op, intent.cents ?? 0]))
  const used = {
    actions: first.size + 1,
    cents: [...first.values()].reduce((sum, each) => sum + each, cents),
    runMs: host.parts.clock.now() - run.startedAtMs,
  }
  for (const { limits } of contracts) {
    const name = counted.find((each) => used[each] > (limits[each] ?? Number.POSITIVE_INFINITY))
    if (name !== undefined) return exceeded(name, limits)
  }
  return undefined
}

function exceeded(name: (typeof counted)[number], limits: DeclaredLimits): string {
  return `It would be more than a run may use: ${name} is limited to ${limits[name]} by the contract. Raise the limit there, or start a run that needs less.`
}

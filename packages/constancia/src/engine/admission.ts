import type { Head } from '../journal/index.js'
import type { Claim, Store } from '../store/index.js'
import { type Basis, decidedFrom, seenBy } from './basis.js'
import { decideExactly, isToBeExact } from './decision.js'
import type { Guard, GuardedRun } from './guard.js'

/** What a run's admission is decided from. */
export interface AdmissionInput {
  readonly store: Store
  readonly claim: Claim
  readonly head: Head
  readonly basis: Basis | undefined
  readonly guard: Guard | undefined
  readonly run: GuardedRun
}

/**
 * Whether a run that somebody took up may go on, by what its guard says now; if not, its end is written first. Nothing of
 * the flow has run by then. `changed`: somebody outside wrote meanwhile, or another owner has it; whoever takes it next
 * asks again. Rejects with faults of the store.
 */
export async function admit(input: AdmissionInput): Promise<'admitted' | 'ended' | 'changed'> {
  const { store, claim, head, basis, guard, run } = input
  // Before its second event nothing of it has run, so nothing is resumed.
  if (guard === undefined || head.seq === 0) return 'admitted'
  for (let moveCount = 0; ; moveCount += 1) {
    await basis?.catchUp()
    const drafts = guard.onClaim(run)
    if (drafts.length === 0) return 'admitted'
    if (basis !== undefined && isToBeExact(basis, moveCount)) {
      const decided = await decideExactly({ store, claim, basis, head, decide: () => guard.onClaim(run) })
      if (decided.kind === 'decided' && decided.count > 0) return 'ended'
      if (decided.kind !== 'decided' && decided.kind !== 'basis_moved') return 'changed'
      continue
    }
    const written = { claim, head, drafts, seen: seenBy(basis), readSignalCount: 0 }
    const answer = await store.append({ ...written, ...decidedFrom(basis) })
    if (answer.kind === 'appended') return 'ended'
    if (answer.kind !== 'basis_moved') return 'changed'
  }
}

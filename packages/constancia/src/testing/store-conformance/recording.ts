import { ok } from 'node:assert'
import { type Draft, type Head, nothingSeen, type StoredEvent, type StreamId } from '../../journal/index.js'
import type { Appended, Claim, Recorded, Store } from '../../store/index.js'
import { stepped, type World } from './world.js'

/** A stream that belongs to no run. */
export const law = 'governance' as StreamId

/** How something is recorded: in the stream {@link law}, whatever is there, unless told otherwise. */
export interface Recording {
  readonly stream?: StreamId
  readonly head?: Head
  readonly store?: Store | undefined
}

/** Records events; what becomes of them. */
export function record(world: World, drafts: readonly Draft[], how: Recording = {}): Promise<Recorded> {
  const { stream = law, head, store = world.store } = how
  return store.record({ stream, head, drafts, by: 'principal:ann', seen: '1:ab/-' })
}

/** The same, and it must succeed; returns the events. */
export async function recorded(
  world: World,
  drafts: readonly Draft[],
  how: Recording = {},
): Promise<readonly StoredEvent[]> {
  const answer = await record(world, drafts, how)
  ok(answer.kind === 'recorded', `the events were to be recorded, but: ${answer.kind}`)
  return answer.events
}

/** An append that depends on where a stream ends. */
export interface Under {
  readonly claim: Claim
  readonly head: Head
  readonly basis: Head
  /** {@link law} unless set. */
  readonly stream?: StreamId
}

/** Appends the event of a step; what becomes of it. */
export function appendUnder(world: World, { claim, head, basis, stream = law }: Under): Promise<Appended> {
  return world.append(claim, [stepped('0')], { head, basis: { stream, head: basis }, seen: nothingSeen })
}

/** The event that gives somebody a role. */
export function granted(principal: string): Draft {
  return { kind: 'RoleGranted', body: JSON.stringify({ principal, role: 'treasurer' }), data: undefined }
}

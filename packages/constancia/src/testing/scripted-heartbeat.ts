import type { ClaimRef, Heartbeat, HeartbeatOptions, Store } from '../store/index.js'

/** What a heart needs from the life that it beats in. */
export interface HeartHost {
  readonly store: Store
  readonly after: (delayMs: number, call: () => void) => () => void
  readonly isDead: () => boolean
}

/** Keeps leases alive by the scripted clock, whatever the store's own heart runs on. */
export function scriptedHeartbeat({ store, after, isDead }: HeartHost, options: HeartbeatOptions): Heartbeat {
  const held = new Map<string, ClaimRef>()
  let disarm: (() => void) | undefined
  const beat = async (): Promise<void> => {
    disarm = undefined
    const kept = await store.renew([...held.values()], options.leaseMs)
    if (isDead()) return
    const keptIds = new Set(kept.map((claim) => claim.id))
    for (const [id, claim] of held) {
      if (keptIds.has(claim.id)) continue
      held.delete(id)
      options.onLost(claim)
    }
    arm()
  }
  const arm = (): void => {
    if (held.size > 0) disarm ??= after(options.leaseMs / 3, () => void beat())
  }
  const stop = (): void => {
    disarm?.()
    disarm = undefined
  }
  return {
    hold: (claim) => {
      held.set(claim.id, claim)
      arm()
    },
    drop: (claim) => {
      held.delete(claim.id)
      if (held.size === 0) stop()
    },
    stop: async () => {
      held.clear()
      stop()
    },
  }
}

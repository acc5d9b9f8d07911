import { randomBytes as randomBytesOfNode } from 'node:crypto'
import type { Checkpoint, Clock, Store } from '../../store/index.js'
import type { OutsidePlace, TimeStampingAuthority } from '../index.js'
import { compareOutside, requireWhole } from './comparison.js'
import { Cosigning, type KnownWitness } from './cosigning.js'
import { Delivery } from './delivery.js'
import type { Tell } from './errand.js'
import { firstKey, KeyLedger, type LogKey, requireActive } from './keys.js'
import { type SealOutcome, seal } from './sealing.js'
import { Stamping } from './stamping.js'

/** What a sealer works with. */
export interface SealerParts {
  readonly store: Store
  readonly mine: LogKey
  readonly outside: readonly OutsidePlace[]
  readonly witnesses?: readonly KnownWitness[]
  readonly clock: Clock
  /** Nobody else's. */
  readonly holder: string
  readonly tell: Tell
  /** Who is asked for tokens over the checkpoints that are made here, and where nonces come from. */
  readonly timeStamps?: readonly TimeStampingAuthority[]
  readonly randomBytes?: (count: number) => Uint8Array
}

// Whatever changes is seen at the next look; the lease of one that ended is over by the look after that: both together stay under 10 s.
const lookMs = 4_500
const leaseMs = 4_000
const lastMsMax = 5_000

/**
 * Seals what grows in a store: looks every few seconds, so that a checkpoint is there at most 10 s after something changed, and every
 * hour while nothing does. Of several on one store one seals at a time; the others learn its checkpoints.
 */
export class Sealer {
  readonly #parts: SealerParts
  readonly #ledger: KeyLedger
  readonly #deliveries: readonly (Delivery | Cosigning)[]
  readonly #stampings: readonly Stamping[]
  readonly #unwatch: () => void
  #disarm: (() => void) | undefined
  #underway: Promise<unknown> = Promise.resolve()
  #isStopped = false
  #hasFailed = false
  /** Whether something may have changed since nothing had. */
  #isStirred = true

  private constructor(parts: SealerParts, ledger: KeyLedger, keptSizes: readonly number[]) {
    this.#parts = parts
    this.#ledger = ledger
    const { store, outside, witnesses = [], tell, clock, timeStamps = [], randomBytes = randomBytesOfNode } = parts
    const { log } = store
    this.#deliveries = [
      ...outside.map((place, index) => new Delivery({ log, place, tell }, keptSizes[index] ?? 0)),
      ...witnesses.map((known) => new Cosigning({ log, tell, ...known })),
    ]
    this.#stampings = timeStamps.map((authority) => new Stamping({ log, authority, clock, randomBytes, tell }))
    this.#unwatch = store.watch(() => {
      this.#isStirred = true
    })
  }

  /**
   * Adds the first key to a log that has none, compares the database with what is kept outside, and begins to seal. Rejects with
   * `store_rolled_back` where the database is behind that, `key_not_active`, `key_invalid`, `invalid_evidence` and faults of the store.
   */
  static async start(parts: SealerParts): Promise<Sealer> {
    const ledger = await ledgerOf(parts)
    const sizes = await compareOutside({ ...parts, ledger }, parts.outside)
    await requireWhole(parts.store)
    // Only now: a database that was put back must not get a first key once more.
    const active = ledger.keys.length > 0 ? ledger : await firstKey(parts.store, parts.mine)
    requireActive(active, parts.mine)
    const sealer = new Sealer(parts, active, sizes)
    await sealer.#learn()
    sealer.#arm()
    return sealer
  }

  /** Seals what has grown, now, unless somebody else does. Rejects as `seal` does. */
  sealNow(): Promise<SealOutcome> {
    const turn = this.#underway.catch(() => undefined).then(() => this.#seal())
    this.#underway = turn
    return turn
  }

  /** Resolves once nothing is under way, neither sealing nor bringing outside nor getting tokens. Never rejects. */
  async settled(): Promise<void> {
    await this.#underway.catch(() => undefined)
    await Promise.all([...this.#deliveries, ...this.#stampings].map((one) => one.settled()))
  }

  /** Stops looking. What has grown until now is sealed, and brought outside, as far as that takes no longer than some seconds. Never rejects. */
  async stop(): Promise<void> {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#disarm?.()
    this.#unwatch()
    let disarm = (): void => undefined
    const late = new Promise<void>((resolve) => {
      disarm = this.#parts.clock.after(lastMsMax, resolve)
    })
    const last = this.sealNow()
      .catch((error: unknown) => this.#fail(error))
      .then(() =>
        Promise.all([...this.#deliveries.map((one) => one.deliver()), ...this.#stampings.map((one) => one.stamp())]),
      )
    await Promise.race([last, late])
    disarm()
  }

  #arm(): void {
    if (this.#isStopped) return
    this.#disarm = this.#parts.clock.after(lookMs, () => {
      this.#underway = this.#underway
        .catch(() => undefined)
        .then(() => this.#look())
        .catch((error: unknown) => this.#fail(error))
        .then(() => this.#arm())
    })
  }

  async #look(): Promise<void> {
    if (this.#isStopped) return
    const { store, holder, clock } = this.#parts
    const last = await this.#learn()
    // Whoever made it a moment ago goes on with it.
    const isFresh = last !== undefined && clock.now() - last < leaseMs && clock.now() >= last
    if (!isFresh && (await this.#isNeeded()) && (await store.log.lease(holder, leaseMs))) await this.#seal()
    if (this.#hasFailed) this.#parts.tell('info', 'Journals are sealed again.')
    this.#hasFailed = false
    for (const delivery of this.#deliveries) void delivery.deliver()
    for (const stamping of this.#stampings) void stamping.stamp()
  }

  // While nobody has told of a change the log is only looked at: a lease would be written each time.
  async #isNeeded(): Promise<boolean> {
    if (this.#isStirred) return true
    return (await seal({ ...this.#sealParts(), isLookOnly: true })).kind !== 'quiet'
  }

  #sealParts(): Parameters<typeof seal>[0] {
    const { store, mine, clock } = this.#parts
    return { store, mine, ledger: this.#ledger, clock }
  }

  async #seal(): Promise<SealOutcome> {
    for (;;) {
      this.#isStirred = false
      const outcome = await seal(this.#sealParts())
      if (outcome.kind === 'sealed') this.#made(outcome.checkpoint)
      if (outcome.kind !== 'sealed' || !outcome.hasMore) return outcome
    }
  }

  #made(checkpoint: Checkpoint): void {
    this.#parts.store.log.know(checkpoint)
    for (const stamping of this.#stampings) stamping.offer(checkpoint)
  }

  async #learn(): Promise<number | undefined> {
    const { log } = this.#parts.store
    const { checkpoint } = await log.state()
    if (checkpoint !== undefined) log.know(checkpoint)
    return checkpoint?.atMs
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error)
    if (!this.#hasFailed)
      this.#parts.tell(
        'warn',
        `Journals are not sealed just now (${reason}). Runs go on; it is tried again every few seconds.`,
      )
    this.#hasFailed = true
    this.#isStirred = true
  }
}

async function ledgerOf({ store }: SealerParts): Promise<KeyLedger> {
  const ledger = new KeyLedger()
  await ledger.readFrom(store)
  return ledger
}

import { ConstanciaError, type RunId } from '../../journal/index.js'
import type { Clock } from '../clock.js'
import { type KnownMark, knownOf, type Mark, type NotedHead, standingOf } from '../mark.js'
import type { Store } from '../store.js'
import { byRun, type Loss, lossError, lossOf } from './loss.js'
import { type FiledMark, readMark, writeMark } from './mark-file.js'
import { dropLeft, dropNotes, type LeftNotes, leftNotes, Notes } from './notes.js'

/** What a guard works with. */
export interface GuardParts {
  readonly store: Store
  /** Absolute path of the mark file. */
  readonly path: string
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
  readonly tell: (level: 'info' | 'warn' | 'error', message: string) => void
  /** Called when whatever this process holds is not its own any more. */
  readonly onLost: () => void
}

interface View {
  readonly known: KnownMark
  readonly loss: Loss | undefined
  readonly acceptCount: number
}

interface Verdict extends View {
  readonly found: Mark
  readonly missing: readonly NotedHead[]
}

// So often at most a process that writes counts one up, and one that is asked to write compares itself.
const pulseMs = 1_000
const filedHeadsMax = 100
// A database that is away must not keep anybody from closing: notes are left behind instead.
const lastPulseMsMax = 2_000

/**
 * Compares the database with what this process and the mark file know of it. It knows the last pulse, and every event acknowledged since:
 * where either is missing, something was lost.
 */
export class Guard {
  readonly #parts: GuardParts
  readonly #notes: Notes
  #known: KnownMark
  #server: string
  /** The last event of each run that was acknowledged since the last pulse. */
  #heads = new Map<RunId, NotedHead>()
  /** The same of those that a pulse under way is to cover: until it has answered they may be missing as well. */
  #covered: ReadonlyMap<RunId, NotedHead> = new Map()
  /** Whether something was acknowledged that no head tells of, and no pulse covers yet. */
  #isStirred = false
  #filed: NotedHead[]
  #left: LeftNotes[] = []
  #loss: Loss | undefined
  /** Terms by which operators had accepted the database when it was found to be behind. */
  #accepted = new Set<string>()
  #acceptCount = 0
  #checkedMs = Number.NEGATIVE_INFINITY
  #freshening: Promise<void> | undefined
  #beating: Promise<void> | undefined
  #disarm: (() => void) | undefined
  #isClosed = false
  #hasWarned = false

  private constructor(parts: GuardParts, found: Mark, filed: FiledMark | undefined) {
    this.#parts = parts
    this.#known = filed?.known ?? knownOf(found)
    this.#filed = [...(filed?.heads ?? [])]
    this.#server = found.server
    this.#notes = new Notes({
      path: parts.path,
      newSuffix: () => this.#suffix(),
      onFault: (error) => this.#warnOnce('written', error),
    })
  }

  /**
   * Compares the database with its mark file and what ended processes left beside it. Where there is no file, it begins one. Rejects with
   * `store_mark_failed` and faults of the store; that something was lost is no fault.
   */
  static async begin(parts: GuardParts): Promise<Guard> {
    const filed = await readMark(parts.path)
    const left = leftNotes(parts.path)
    const found = await parts.store.mark()
    const guard = new Guard(parts, found, filed)
    guard.#left = left
    await guard.#judge({ ...guard.#view(), found, missing: await guard.#missingOfLeft(found) })
    if (guard.#loss !== undefined) return guard
    const isLeft = left.some(({ heads }) => heads.length > 0)
    if (isLeft || filed === undefined || found.terms.at(-1)?.server !== found.server) await guard.#pulse()
    else guard.#notes.begin(guard.#known)
    return guard
  }

  /** What was lost; undefined while nothing is known to be. */
  get loss(): Loss | undefined {
    return this.#loss
  }

  /** How often the database was accepted as it is. What was asked of it before, and what was known by then, counts for nothing after. */
  get acceptCount(): number {
    return this.#acceptCount
  }

  /** Takes note of an event that is acknowledged to whoever asked for it when the database had been accepted so often. */
  note(head: NotedHead, acceptCount: number): void {
    if (acceptCount !== this.#acceptCount) return this.stir()
    this.#heads.set(head.run, head)
    this.#notes.add(head)
    this.#arm()
  }

  /** Takes note that something was acknowledged which belongs to no run: the next pulse covers it, within a second. */
  stir(): void {
    this.#isStirred = true
    this.#arm()
  }

  /** Compares the database, as it is now, with what is known. Rejects with `store_rolled_back` where something is missing. */
  async check(): Promise<void> {
    const { clock, store } = this.#parts
    const startedMs = clock.monotonic()
    const view = this.#view()
    const found = await this.#ask(() => store.mark())
    if (found !== undefined) await this.#judge({ ...view, found, missing: await this.#missingBy(found, view) })
    this.#checkedMs = startedMs
    if (this.#loss !== undefined) throw lossError(this.#loss)
  }

  /** The same, unless it was done within the last second and found nothing missing. */
  fresh(): Promise<void> | undefined {
    const isFresh = this.#parts.clock.monotonic() - this.#checkedMs < pulseMs
    if (isFresh && this.#loss === undefined) return undefined
    this.#freshening ??= this.check().finally(() => {
      this.#freshening = undefined
    })
    return this.#freshening
  }

  /** Looks whether an event is there that somebody was told of, when the database had been accepted so often; what is not is a loss. */
  async verify(head: NotedHead, acceptCount: number): Promise<void> {
    if (acceptCount !== this.#acceptCount) return
    const { store } = this.#parts
    const view = this.#view()
    const found = await this.#ask(() => store.mark())
    if (found === undefined) return
    // Whoever is judged is known from then on: another server is never judged by this event alone.
    const missing = [...(await store.missing([head])), ...(await this.#missingBy(found, view))]
    await this.#judge({ ...view, found, missing })
  }

  /** Takes the database as it is from now on: an operator has accepted it. */
  async accept(): Promise<void> {
    this.#accept(await this.#parts.store.mark())
    await this.#file().catch((error: unknown) => this.#warnOnce('written', error))
  }

  /** Writes down what is known. Never rejects; what it cannot write is left to whoever opens next. */
  async close(): Promise<void> {
    this.#disarm?.()
    if (this.#loss === undefined && (this.#heads.size > 0 || this.#isStirred || this.#beating !== undefined)) {
      let disarm = (): void => undefined
      const late = new Promise<void>((resolve) => {
        disarm = this.#parts.clock.after(lastPulseMsMax, resolve)
      })
      await Promise.race([Promise.resolve(this.#beating).then(() => this.#beat()), late])
      disarm()
    }
    this.#isClosed = true
    this.#disarm?.()
    this.#notes.close()
  }

  #arm(): void {
    if (this.#disarm !== undefined || this.#isClosed) return
    this.#disarm = this.#parts.clock.after(pulseMs, () => {
      this.#disarm = undefined
      this.#beating ??= this.#beat().finally(() => {
        this.#beating = undefined
      })
    })
  }

  // Never rejects: what could not be written is tried again.
  async #beat(): Promise<void> {
    try {
      await this.#pulse()
    } catch (error) {
      if (!this.#isClosed) this.#warnOnce('kept up to date', error)
      this.#arm()
    }
  }

  // What was acknowledged before the pulse is covered by it, unless another server has answered; what comes meanwhile waits for the next.
  async #pulse(): Promise<void> {
    if (this.#loss !== undefined || this.#isClosed) return
    const view = this.#view()
    const server = this.#server
    this.#covered = this.#heads
    this.#heads = new Map()
    const wasStirred = this.#isStirred
    this.#isStirred = false
    const paths = this.#notes.begin(this.#known)
    let isCovered = false
    try {
      const found = await this.#ask(() => this.#parts.store.pulse())
      // Another server may have answered somebody else meanwhile.
      const isSame = found?.server === server && this.#server === server
      isCovered = isSame && found.terms.at(-1)?.server === server
      if (!isCovered) this.#putBack(paths)
      if (!isCovered && wasStirred) this.#isStirred = true
      if (found !== undefined)
        await this.#judge({ ...view, found, missing: isCovered ? [] : await this.#missingAfter(found) })
      if (this.#loss !== undefined) return
      if (!isCovered) return this.#arm()
      const older = this.#filed.filter(({ run }) => !this.#covered.has(run))
      this.#filed = [...older, ...this.#covered.values()].slice(-filedHeadsMax)
      await this.#file()
    } catch (error) {
      if (!isCovered && wasStirred) this.#isStirred = true
      if (!isCovered) this.#putBack(paths)
      else this.#notes.keep(paths)
      throw error
    } finally {
      this.#covered = new Map()
    }
    dropNotes(paths)
  }

  #putBack(paths: readonly string[]): void {
    this.#heads = new Map([...this.#covered, ...this.#heads])
    this.#covered = new Map()
    this.#notes.keep(paths)
  }

  // Another process of this machine may have written a newer one.
  async #file(): Promise<void> {
    const { path } = this.#parts
    const filed = await readMark(path)
    const isNewer = filed !== undefined && filed.known.atMs > this.#known.atMs
    if (!isNewer) await writeMark(path, { known: this.#known, heads: this.#filed }, this.#suffix())
    for (const left of this.#left.splice(0)) dropLeft(left)
  }

  // What is known when the database is asked: it may know more by the time it has answered.
  #view(): View {
    return { known: this.#known, loss: this.#loss, acceptCount: this.#acceptCount }
  }

  async #judge({ known, loss: before, acceptCount, found, missing }: Verdict): Promise<void> {
    const { store, tell } = this.#parts
    // An answer from before something was found, or was accepted.
    if (this.#loss !== before || this.#acceptCount !== acceptCount) return
    const isNew = found.terms.some(({ id, isAccepted }) => isAccepted && !this.#accepted.has(id))
    const isAccepted = standingOf(known, found) === 'accepted' || (before !== undefined && isNew)
    if (isAccepted && found.held === undefined) return this.#accept(found)
    const loss = lossOf({ place: store.describe(), source: this.#source(), known, found, missing })
    if (loss !== undefined) return this.#lose(loss, found)
    if (before !== undefined)
      tell('info', `${store.describe()} has everything that is known of it again; work goes on.`)
    this.#loss = undefined
    if (standingOf(this.#known, found) === 'level') this.#known = knownOf(found)
    if (found.server === this.#server) return
    this.#server = found.server
    this.#arm()
  }

  async #lose(loss: Loss, found: Mark | undefined): Promise<void> {
    if (this.#loss !== undefined) return
    this.#accepted = new Set(found?.terms.filter(({ isAccepted }) => isAccepted).map(({ id }) => id))
    const { store, tell, onLost } = this.#parts
    const isBehind = loss.kind === 'behind'
    const named = isBehind ? await store.missing([...this.#filed, ...this.#uncovered()]).catch(() => []) : loss.missing
    const evidence = { place: store.describe(), source: this.#source(), known: this.#known, missing: byRun(named) }
    const told = isBehind && found !== undefined ? (lossOf({ ...evidence, found }) ?? loss) : loss
    this.#loss = told
    tell('error', told.message)
    onLost()
    // So that others hear of it who know less. What matters is what this process does itself.
    if (loss.kind === 'behind' || loss.kind === 'missing') await store.hold(told.message).catch(() => undefined)
  }

  #accept(found: Mark): void {
    if (this.#loss !== undefined)
      this.#parts.tell('info', `${this.#parts.store.describe()} was accepted as it is; work goes on.`)
    this.#loss = undefined
    this.#acceptCount += 1
    this.#known = knownOf(found)
    this.#server = found.server
    this.#heads.clear()
    this.#covered = new Map()
    this.#filed = []
    dropNotes(this.#notes.begin(this.#known))
    this.#parts.onLost()
    this.#arm()
  }

  // Undefined where the store sees by itself that its database is gone: that is a loss, and no fault.
  async #ask<T>(call: () => Promise<T>): Promise<T | undefined> {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof ConstanciaError) || error.code !== 'store_rolled_back') throw error
      await this.#lose({ kind: 'replaced', message: error.message, wholeUntilMs: undefined, missing: [] }, undefined)
      return undefined
    }
  }

  // The server that was there before has what it acknowledged.
  async #missingBy(found: Mark, view: View): Promise<NotedHead[]> {
    const isOther = found.server !== this.#server || view.loss !== undefined
    return isOther ? this.#missingAfter(found) : []
  }

  // Another server has answered. What was acknowledged to others of this machine, since their last pulses, has to be there as well.
  #missingAfter(found: Mark): Promise<NotedHead[]> {
    const others = leftNotes(this.#parts.path).filter(({ known }) => standingOf(known, found) === 'level')
    return this.#parts.store.missing([...others.flatMap(({ heads }) => heads), ...this.#uncovered()])
  }

  // What was acknowledged to this process, and no pulse is known to cover.
  #uncovered(): NotedHead[] {
    return [...new Map([...this.#covered, ...this.#heads]).values()]
  }

  #source(): string {
    return this.#checkedMs === Number.NEGATIVE_INFINITY ? `the mark ${this.#parts.path}` : 'this process'
  }

  async #missingOfLeft(found: Mark): Promise<NotedHead[]> {
    const level = this.#left.filter(({ known }) => standingOf(known, found) === 'level')
    for (const { heads } of level) for (const head of heads) this.#heads.set(head.run, head)
    return this.#parts.store.missing(level.flatMap(({ heads }) => heads))
  }

  #suffix(): string {
    return Buffer.from(this.#parts.randomBytes(6)).toString('hex')
  }

  #warnOnce(what: string, error: unknown): void {
    if (!this.#hasWarned) {
      const reason = error instanceof Error ? error.message : String(error)
      const message = `The mark ${this.#parts.path} cannot be ${what} (${reason}). Runs go on, but a loss of the newest part of the database may go unnoticed.`
      this.#parts.tell('warn', message)
    }
    this.#hasWarned = true
  }
}

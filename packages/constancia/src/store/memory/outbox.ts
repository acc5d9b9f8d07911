import type { OutboxEntry, RunId } from '../../journal/index.js'
import type { OutboxQuery, OutboxRef, Page } from '../index.js'
import { cursorOf, limitOf } from './page.js'

/** What runs have to tell each other, oldest first. */
export class Outbox {
  readonly #entries = new Map<string, { readonly no: number; readonly entry: OutboxEntry }>()
  // How many entries ask a run to end.
  readonly #wishCounts = new Map<RunId, number>()
  #lastNo = 0

  add(entries: readonly OutboxEntry[]): void {
    for (const entry of entries) {
      this.#entries.set(keyOf(entry), { no: ++this.#lastNo, entry })
      this.#countWish(entry, 1)
    }
  }

  /** Takes off what is done; nothing happens if it is off already. */
  settle(ref: OutboxRef | undefined): void {
    const settled = ref && this.#entries.get(keyOf(ref))
    if (settled === undefined) return
    this.#entries.delete(keyOf(settled.entry))
    this.#countWish(settled.entry, -1)
  }

  /** Whether an entry asks this run to end. */
  asksToEnd(run: RunId): boolean {
    return this.#wishCounts.has(run)
  }

  /** Whether events of this run still have something to tell another. */
  holds(run: RunId): boolean {
    for (const { entry } of this.#entries.values()) if (entry.run === run && entry.kind !== 'notice') return true
    return false
  }

  /** Takes off whatever a run still has to tell. */
  forget(run: RunId): void {
    for (const { entry } of this.#entries.values()) if (entry.run === run) this.settle(entry)
  }

  /** Every entry, oldest first. */
  all(): OutboxEntry[] {
    return [...this.#entries.values()].map(({ entry }) => entry)
  }

  /** Takes off what runs have to tell each other. */
  clear(): void {
    for (const { entry } of this.#entries.values()) if (entry.kind !== 'notice') this.settle(entry)
  }

  /** Some of the entries; see `Store.outbox`. */
  page({ to = 'runs', limit, after }: OutboxQuery): Page<OutboxEntry> {
    const count = limitOf(limit)
    const lastNo = after === undefined ? 0 : cursorOf(after)
    const left = [...this.#entries.values()].filter(({ no, entry }) => no > lastNo && isFor(to, entry))
    const items = left.slice(0, count)
    const next = left.length > count ? String(items.at(-1)?.no) : undefined
    return { items: items.map(({ entry }) => entry), next }
  }

  #countWish({ kind, target }: OutboxEntry, change: number): void {
    if (kind !== 'cancel') return
    const count = (this.#wishCounts.get(target) ?? 0) + change
    if (count > 0) this.#wishCounts.set(target, count)
    else this.#wishCounts.delete(target)
  }
}

function isFor(to: 'runs' | 'caller', { kind }: OutboxEntry): boolean {
  return (kind === 'notice') === (to === 'caller')
}

function keyOf({ run, seq }: OutboxRef): string {
  return `${seq} ${run}`
}

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

  /** Whether events of this run still have something to tell. */
  holds(run: RunId): boolean {
    for (const { entry } of this.#entries.values()) if (entry.run === run) return true
    return false
  }

  /** Every entry, oldest first. */
  all(): OutboxEntry[] {
    return [...this.#entries.values()].map(({ entry }) => entry)
  }

  clear(): void {
    this.#entries.clear()
    this.#wishCounts.clear()
  }

  /** Some of the entries; see `Store.outbox`. */
  page({ limit, after }: OutboxQuery): Page<OutboxEntry> {
    const count = limitOf(limit)
    const lastNo = after === undefined ? 0 : cursorOf(after)
    const left = [...this.#entries.values()].filter(({ no }) => no > lastNo)
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

function keyOf({ run, seq }: OutboxRef): string {
  return `${seq} ${run}`
}

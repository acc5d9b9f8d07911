import type { OutboxEntry, RunId } from '../../journal/index.js'
import type { OutboxQuery, OutboxRef, Page } from '../index.js'
import { cursorOf, limitOf } from './page.js'

/** What runs have to tell each other, oldest first. */
export class Outbox {
  readonly #entries = new Map<string, { readonly no: number; readonly entry: OutboxEntry }>()
  #lastNo = 0

  add(entries: readonly OutboxEntry[]): void {
    for (const entry of entries) this.#entries.set(keyOf(entry), { no: ++this.#lastNo, entry })
  }

  /** Takes off what is done; nothing happens if it is off already. */
  settle(ref: OutboxRef | undefined): void {
    if (ref !== undefined) this.#entries.delete(keyOf(ref))
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
}

function keyOf({ run, seq }: OutboxRef): string {
  return `${seq} ${run}`
}

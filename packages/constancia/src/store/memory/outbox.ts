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

  /** Whether events of this run still have something to tell another. */
  holds(run: RunId): boolean {
    for (const { entry } of this.#entries.values()) if (entry.run === run && entry.kind !== 'notice') return true
    return false
  }

  /** Takes off whatever a run still has to tell. */
  forget(run: RunId): void {
    for (const [key, { entry }] of this.#entries) if (entry.run === run) this.#entries.delete(key)
  }

  /** Every entry, oldest first. */
  all(): OutboxEntry[] {
    return [...this.#entries.values()].map(({ entry }) => entry)
  }

  /** Takes off what runs have to tell each other. */
  clear(): void {
    for (const [key, { entry }] of this.#entries) if (entry.kind !== 'notice') this.#entries.delete(key)
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
}

function isFor(to: 'runs' | 'caller', { kind }: OutboxEntry): boolean {
  return (kind === 'notice') === (to === 'caller')
}

function keyOf({ run, seq }: OutboxRef): string {
  return `${seq} ${run}`
}

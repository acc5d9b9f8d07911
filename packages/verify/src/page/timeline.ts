import type { BundleItem, ReadEvent } from '../bundle/index.js'

/** An event as it is shown. */
export interface ShownEvent {
  readonly seq: number
  readonly kind: string
  /** UTC milliseconds since 1970. */
  readonly at: number
  readonly by: string
  readonly body: ShownText
  readonly data: ShownText
}

/** A text that an event carries, cut where it is long, or why it is not shown; `none` where it carries none, `left` where the page has enough of them. */
export type ShownText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'none' | 'withheld' | 'erased' | 'left' }

/** The first events of a run. */
export interface RunTimeline {
  readonly stream: string
  readonly events: readonly ShownEvent[]
}

/** Events that are kept, of a run and of all: a page of many more takes seconds to be laid out; and characters of texts, of one and of all. */
const bounds = { events: 200, allEvents: 1_000, text: 2_000, texts: 1_000_000 } as const

/** Keeps of a file what is shown of its events, within bounds whatever its size. */
export class Timelines {
  readonly #runs: { stream: string; events: ShownEvent[] }[] = []
  #current: ShownEvent[] | undefined
  #room: number = bounds.texts
  #isReceipt = false
  #eventCount = 0

  /** What was kept, in the order of the file. */
  get runs(): readonly RunTimeline[] {
    return this.#runs
  }

  /** A part of the file, as it is read. Of a receipt its report tells all there is. */
  add(item: BundleItem): void {
    if (item.kind === 'receipt') this.#isReceipt = true
    else if (item.kind === 'stream') this.#begin(item.name)
    else if (item.kind === 'event') this.#addEvent(item.event)
  }

  #begin(stream: string): void {
    const isShown = !this.#isReceipt && stream.startsWith('run/')
    this.#current = isShown && this.#eventCount < bounds.allEvents ? [] : undefined
    if (this.#current !== undefined) this.#runs.push({ stream, events: this.#current })
  }

  #addEvent({ seq, kind, at, by, body, data }: ReadEvent): void {
    const events = this.#current
    if (events === undefined || events.length >= bounds.events || this.#eventCount >= bounds.allEvents) return
    this.#eventCount += 1
    events.push({ seq, kind, at, by, body: this.#textOf(body), data: this.#textOf(data) })
  }

  #textOf(text: ReadEvent['data']): ShownText {
    if (text === undefined) return { kind: 'none' }
    if (text.kind !== 'text') return { kind: text.kind }
    if (this.#room <= 0) return { kind: 'left' }
    const { length } = text.text
    this.#room -= Math.min(length, bounds.text)
    return { kind: 'text', text: length > bounds.text ? `${text.text.slice(0, bounds.text)}…` : text.text }
  }
}

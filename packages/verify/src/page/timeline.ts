import type { BundleItem, ReadEvent } from '../bundle/index.js'

/** An event as it is shown. */
export interface ShownEvent {
  readonly seq: number
  readonly kind: string
  /** UTC milliseconds since 1970. */
  readonly at: number
  readonly by: string
  /** The texts that it carries, cut; undefined where there is none, or it was left out. */
  readonly body: string | undefined
  readonly data: string | undefined
}

/** The first events of a run. */
export interface RunTimeline {
  readonly stream: string
  readonly events: readonly ShownEvent[]
}

/** Runs whose events are kept, events of each, and characters of texts: of one, and of all. */
const bounds = { runs: 50, events: 200, text: 2_000, texts: 2_000_000 } as const

/** Keeps of a file what is shown of its events, within bounds whatever its size. */
export class Timelines {
  readonly #runs: { stream: string; events: ShownEvent[] }[] = []
  #current: ShownEvent[] | undefined
  #room: number = bounds.texts
  #isReceipt = false

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
    this.#current = isShown && this.#runs.length < bounds.runs ? [] : undefined
    if (this.#current !== undefined) this.#runs.push({ stream, events: this.#current })
  }

  #addEvent({ seq, kind, at, by, body, data }: ReadEvent): void {
    const events = this.#current
    if (events === undefined || events.length >= bounds.events) return
    events.push({ seq, kind, at, by, body: this.#textOf(body), data: this.#textOf(data) })
  }

  #textOf(text: ReadEvent['data']): string | undefined {
    if (text?.kind !== 'text' || this.#room <= 0) return undefined
    const { length } = text.text
    this.#room -= Math.min(length, bounds.text)
    return length > bounds.text ? `${text.text.slice(0, bounds.text)}…` : text.text
  }
}

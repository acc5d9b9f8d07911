import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'

/**
 * What a process that may be ended at any moment leaves behind: a file of its own, one line for each thing that it was told,
 * written before it goes on. Fields are separated by a space:
 *
 *     stored <run> <seq> <hash>        an event was acknowledged
 *     delivered <run> <delivery>       a signal was acknowledged
 *     refused <run> <kind>             an append was refused
 *     struck <place>                   the process ends itself now
 *     passed <count> <place>           so often it came to a place, written once every run has ended
 *
 * A last line without its end does not count: the process was ended while it wrote.
 */
export interface Diary {
  readonly stored: readonly { readonly run: string; readonly seq: number; readonly hash: string }[]
  readonly delivered: readonly { readonly run: string; readonly delivery: string }[]
  readonly refused: readonly { readonly run: string; readonly kind: string }[]
  readonly struck: string | undefined
  readonly passed: Readonly<Record<string, number>>
}

/** Writes a diary. Each line is with the operating system when its call returns: it outlives the process. */
export class DiaryWriter {
  readonly #file: number

  constructor(path: string) {
    this.#file = openSync(path, 'a')
  }

  stored(events: readonly { readonly run: string; readonly seq: number; readonly hash: string }[]): void {
    this.#write(events.map(({ run, seq, hash }) => `stored ${run} ${seq} ${hash}\n`).join(''))
  }

  delivered(run: string, delivery: string): void {
    this.#write(`delivered ${run} ${delivery}\n`)
  }

  refused(run: string, kind: string): void {
    this.#write(`refused ${run} ${kind}\n`)
  }

  struck(place: string): void {
    this.#write(`struck ${place}\n`)
  }

  passed(counts: ReadonlyMap<string, number>): void {
    this.#write([...counts].map(([place, count]) => `passed ${count} ${place}\n`).join(''))
  }

  close(): void {
    closeSync(this.#file)
  }

  #write(text: string): void {
    writeSync(this.#file, text)
  }
}

/** Reads what a process left behind; an empty diary where it did not get as far as that. */
export function readDiary(path: string): Diary {
  const lines = textOf(path).split('\n').slice(0, -1)
  const of = (word: string): string[][] =>
    lines.filter((line) => line.startsWith(`${word} `)).map((line) => line.split(' ').slice(1))
  return {
    stored: of('stored').map(([run = '', seq = '', hash = '']) => ({ run, seq: Number(seq), hash })),
    delivered: of('delivered').map(([run = '', delivery = '']) => ({ run, delivery })),
    refused: of('refused').map(([run = '', kind = '']) => ({ run, kind })),
    struck: of('struck')[0]?.join(' '),
    passed: Object.fromEntries(of('passed').map(([count, ...place]) => [place.join(' '), Number(count)])),
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return ''
    throw error
  }
}

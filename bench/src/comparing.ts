import { memory } from 'constancia/testing'
import { type Advanced, advance, type Load } from './advancing.js'
import { BareDriver } from './bare.js'
import { BarePostgres, dropSchemas } from './fleet/bare.js'
import { Apart } from './many/apart.js'
import type { OrderOf } from './many/orders.js'
import { removeFile } from './place.js'
import { storeAt, type Where } from './where.js'

// So many stretches are written elsewhere first: a new process is slower than one that has done it before.
const warmStretches = 3

/** Events a second of each stretch, in their order. */
export interface Compared {
  readonly constancia: readonly number[]
  readonly bare: readonly number[]
}

/** Where a store and its bare driver work. */
export interface Places {
  readonly constancia: Where
  readonly bare: Where
}

/**
 * Advances a load in a store, and writes the same load with the store's driver alone; the stretches of the two take turns. Each has a
 * process of its own, but for the store's the one that measures: events by the ten thousand, made before for the bare driver, would
 * have to be gone through whenever the engine's garbage is collected beside them, which no program that uses it has to do.
 */
export async function compare(places: Places, load: Load): Promise<Compared> {
  const bare = new Apart<number>({ kind: 'bare', where: places.bare, load })
  await bare.next()
  const bareMs: number[] = []
  const { stretchMs } = await advance(storeAt(places.constancia), load, async (stretch) => {
    if (stretch >= load.stretches) return
    bare.go()
    bareMs.push(await bare.next())
  })
  await bare.end()
  const eventCount = load.runs * (load.steps + 1)
  const rateOf = (ms: number): number => (eventCount / ms) * 1000
  return { constancia: stretchMs.map(rateOf), bare: bareMs.map(rateOf) }
}

/** A driver without anything around it. */
interface Bare {
  begin(first: Groups[number]): void | Promise<void>
  /** Returns how many milliseconds it took. */
  write(groups: Groups): number | Promise<number>
  close(): void | Promise<void>
}

type Groups = Advanced['stretches'][number]

/** Makes a load in memory, then writes a stretch of it whenever it is told to go on, and tells how many milliseconds that took. */
export async function writeBare(
  { where, load }: OrderOf<'bare'>,
  tell: (stretchMs: number) => void,
): Promise<() => Promise<void>> {
  const { before, stretches } = await advance(memory(), load)
  await warm(where, before, stretches.slice(0, warmStretches))
  const driver = await bareAt(where)
  await driver.begin(before)
  globalThis.gc?.()
  let next = 0
  const write = async (): Promise<void> => {
    const stretch = stretches[next] ?? []
    next += 1
    tell(await driver.write(stretch))
  }
  process.on('message', (word) => {
    if (word === 'go') void write()
  })
  tell(0)
  return async () => driver.close()
}

async function warm(where: Where, before: Groups[number], stretches: readonly Groups[]): Promise<void> {
  const elsewhere: Where =
    'file' in where ? { file: `${where.file}-warm` } : { ...where, schema: `${where.schema}_warm` }
  const driver = await bareAt(elsewhere)
  await driver.begin(before)
  for (const stretch of stretches) await driver.write(stretch)
  await driver.close()
  if ('file' in elsewhere) removeFile(elsewhere.file)
  else await dropSchemas(elsewhere.url, [elsewhere.schema])
}

function bareAt(where: Where): Promise<Bare> {
  return 'file' in where ? BareDriver.create(where.file) : BarePostgres.create(where)
}

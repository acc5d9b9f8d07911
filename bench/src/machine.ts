import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import type { Place } from './place.js'
import { type Spread, spreadOf } from './samples.js'

/** What the measurements were made on. */
export interface Machine {
  readonly cores: number
  readonly processor: string
  readonly node: string
  readonly sqlite: string
  /** How many times a second a page reaches the disk: the ceiling of what commits one after the other can come to. */
  readonly syncsPerSecond: Spread
}

const syncRounds = 7

/** Tells what this machine is; its disk is asked for so many syncs in each of some rounds. */
export async function describeMachine(place: Place, syncs: number): Promise<Machine> {
  const file = place.file()
  const runtime = await open({ store: sqlite({ file }), flows: [], worker: false })
  const description = runtime.describe().replace(`, ${file}`, '')
  await runtime.close()
  place.drop(file)
  const processors = cpus()
  return {
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? 'unknown',
    node: process.versions.node,
    sqlite: description,
    syncsPerSecond: spreadOf(Array.from({ length: syncRounds }, () => syncsPerSecond(place, syncs))),
  }
}

function syncsPerSecond(place: Place, count: number): number {
  const page = Buffer.alloc(4096, 1)
  const descriptor = openSync(join(place.folder, 'syncs'), 'w')
  try {
    const startMs = performance.now()
    for (let index = 0; index < count; index += 1) {
      writeSync(descriptor, page, 0, page.length, index * page.length)
      fdatasyncSync(descriptor)
    }
    return (count / (performance.now() - startMs)) * 1000
  } finally {
    closeSync(descriptor)
  }
}

import type { RunId, StoredEvent, StreamId } from '../../journal/index.js'
import { type ErasedTexts, foreignStreams, lawfulKinds, runIn } from '../index.js'
import type { MemoryDisk } from './disk.js'
import { isOver } from './purge.js'

/** The streams of texts that cannot go: of runs that are not over or not there, of the law, and of streams that have none. */
export function notErasable(disk: MemoryDisk, texts: readonly ErasedTexts[]): StreamId[] {
  const kept = texts.filter((text) => !isErasable(disk, text)).map(({ stream }) => stream)
  return [...new Set([...foreignStreams(texts), ...kept])]
}

function isErasable(disk: MemoryDisk, { stream, from, to }: ErasedTexts): boolean {
  const run = runIn(stream)
  if (run !== undefined) {
    const stored = disk.find(run as RunId)
    return stored !== undefined && isOver(disk, stored)
  }
  const lawful: readonly string[] = lawfulKinds
  return !disk.stream(stream).some(({ seq, kind }) => seq >= from && seq <= to && lawful.includes(kind))
}

/** Takes texts and their salts away. Whoever was given the events keeps what he saw. */
export function erase(disk: MemoryDisk, texts: readonly ErasedTexts[]): void {
  for (const { stream, from, to } of texts) {
    const run = runIn(stream)
    const events = run === undefined ? disk.eventsOf(stream) : (disk.find(run as RunId)?.events ?? [])
    for (let seq = from; seq <= Math.min(to, events.length - 1); seq++)
      events[seq] = { ...(events[seq] as StoredEvent), data: undefined, dataSalt: undefined }
  }
}

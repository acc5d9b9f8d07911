import type { RunId, StreamId } from '../../journal/index.js'
import { type ErasedTexts, foreignStreams, runIn } from '../index.js'
import type { Database } from './driver.js'
import { type Patience, triedFor } from './patience.js'
import { isOver } from './purge.js'
import type { Session } from './session.js'
import { cutBack } from './wal.js'

/** The streams of texts that cannot go: of runs that are not over or not there, of the law, and of streams that have none. */
export function notErasable(session: Session, texts: readonly ErasedTexts[]): StreamId[] {
  const kept = texts.filter((text) => !isErasable(session, text)).map(({ stream }) => stream)
  return [...new Set([...foreignStreams(texts), ...kept])]
}

function isErasable(session: Session, text: ErasedTexts): boolean {
  const run = runIn(text.stream)
  if (run !== undefined) {
    const record = session.runs.record(run as RunId)
    return record !== undefined && isOver(session, record)
  }
  const streamNo = session.events.streamNo(text.stream)
  return streamNo === undefined || !session.erasure.holdsLaw(streamNo, text)
}

/** Takes texts and their salts away, within a transaction that has recorded why. */
export function erase(session: Session, texts: readonly ErasedTexts[]): void {
  if (texts.length === 0) return
  session.writer.flush()
  session.erasure.erase(
    texts.flatMap(({ stream, from, to }) => {
      const streamNo = session.events.streamNo(stream)
      return streamNo === undefined ? [] : [{ streamNo, from, to }]
    }),
  )
}

// Others read for milliseconds.
const clearMsMax = 1_000

/**
 * Empties the write-ahead file, which holds what was erased as it was before. Where another connection reads for long an operator is told.
 */
export async function clearTraces({ database, patience, warn }: TraceParts): Promise<void> {
  if (await triedFor(patience, clearMsMax, () => cutBack(database))) return
  warn(
    `Texts were erased, but ${patience.file}-wal still holds them, because another connection is reading. It is emptied when a process or a command ` +
      'that has the database open closes it while nobody else reads.',
  )
}

/** What it takes to clear the traces of what was erased. */
export interface TraceParts {
  readonly database: Database
  readonly patience: Patience
  readonly warn: (message: string) => void
}

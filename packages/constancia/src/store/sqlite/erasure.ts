import type { RunId, StreamId } from '../../journal/index.js'
import { type ErasedTexts, foreignStreams, runIn } from '../index.js'
import { isOver } from './purge.js'
import type { Session } from './session.js'

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

import { assert, type StreamId } from '../journal/index.js'
import type { RecordRequest } from './streams.js'

/** Texts of one stream that go for good, with their salts: what its events `from` to `to` carry. */
export interface ErasedTexts {
  readonly stream: StreamId
  readonly from: number
  readonly to: number
}

/** Events of `governance` whose texts are never erased: they are the law. */
export const lawfulKinds = ['ContractProposed', 'ContractActivated'] as const

/** Streams beside those of runs from which texts can be erased. */
export const erasableStreams = ['governance', 'refusals'] as const

/**
 * What events take away that are to be recorded: an `Erased` in `governance`, which is the last of them, takes the texts that its body names. Nothing where
 * none is among them. Throws where its body is not of the form `{ texts: [{ stream, from, to }, …], … }`.
 */
export function erasedBy({ stream, drafts }: Pick<RecordRequest, 'stream' | 'drafts'>): readonly ErasedTexts[] {
  if (stream !== 'governance' || !drafts.some(({ kind }) => kind === 'Erased')) return []
  const last = drafts.at(-1)
  assert(
    last?.kind === 'Erased' && drafts.filter(({ kind }) => kind === 'Erased').length === 1,
    'an Erased is recorded once at a time, as the last event',
  )
  const { texts } = JSON.parse(last.body) as { readonly texts?: unknown }
  assert(Array.isArray(texts) && texts.length > 0, 'an Erased has to name the texts that go')
  for (const text of texts) assert(isErasedTexts(text), `an Erased names ${JSON.stringify(text)}, which is no texts`)
  return texts as ErasedTexts[]
}

function isErasedTexts(value: unknown): boolean {
  const { stream, from, to } = (value ?? {}) as Partial<ErasedTexts>
  return typeof stream === 'string' && isSeq(from) && isSeq(to) && from <= to
}

function isSeq(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

/** The id of the run whose journal a stream is; undefined for other streams. */
export function runIn(stream: StreamId): string | undefined {
  return stream.startsWith('run/') ? stream.slice('run/'.length) : undefined
}

/** The streams of these texts that are neither of a run nor one of {@link erasableStreams}. */
export function foreignStreams(texts: readonly ErasedTexts[]): StreamId[] {
  const known: readonly string[] = erasableStreams
  return texts.map(({ stream }) => stream).filter((stream) => runIn(stream) === undefined && !known.includes(stream))
}

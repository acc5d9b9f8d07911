import { tokenCountMax } from '@constancia/verify'
import type { Log } from '../../store/index.js'

const pageSize = 500
// Between two tokens there may be the cosignatures of many checkpoints; further than this nobody looks.
const pagesMax = 8

/** The tokens over the checkpoint of a size, as a file carries them. Rejects with faults of the store. */
export async function tokensOf(log: Log, size: number): Promise<string[]> {
  const tokens: string[] = []
  const found = await log.attestations({ fromSize: size, limit: pageSize })
  for (const { size: of, kind, text } of found) if (of === size && kind === 'token') tokens.push(text)
  return tokens.slice(0, tokenCountMax)
}

/** The size of the first checkpoint with a token, from one size on, as far as that is near; undefined where there is none. Rejects with faults of the store. */
export async function stampedFrom(log: Log, fromSize: number): Promise<number | undefined> {
  let from = fromSize
  for (let page = 0; page < pagesMax; page += 1) {
    const some = await log.attestations({ fromSize: from, limit: pageSize })
    const found = some.find(({ kind }) => kind === 'token')
    const last = some.at(-1)
    if (found !== undefined || last === undefined || some.length < pageSize) return found?.size
    from = last.size > from ? last.size : from + 1
  }
  return undefined
}

/** For each of these sizes the first checkpoint with a token from there on. Rejects with faults of the store. */
export async function stampedAfter(log: Log, sizes: Iterable<number>): Promise<number[]> {
  const found: number[] = []
  for (const size of [...sizes].sort((one, other) => one - other)) {
    if (size <= (found.at(-1) ?? -1)) continue
    const next = await stampedFrom(log, size)
    if (next === undefined) break
    found.push(next)
  }
  return found
}

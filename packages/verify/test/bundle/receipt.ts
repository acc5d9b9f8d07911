import { hexOf, utf8Of, writeReceipt } from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { type Draft, type Log, type LogEvent, without } from './log.js'

/** The receipt of an event: it, and what is behind it up to the leaf, without texts. */
export async function receipt(
  log: Log,
  id: string,
  seq: number,
  change: (parts: Draft & { prev: string }) => void = () => undefined,
): Promise<Buffer> {
  const draft = log.draft([id])
  const name = `run/${id}`
  const all = draft.streams.find((stream) => stream.name === name)!.events
  const leaf = draft.leaves.find((one) => one.stream === name && one.seq >= seq)!
  const at = log.sealed.findIndex(({ size }) => size > leaf.index)
  const { size } = log.sealed[at]!
  // The proofs in a receipt are for its own checkpoint.
  const shorter = Object.assign(Object.create(Object.getPrototypeOf(log)) as Log, log, {
    leaves: log.leaves.slice(0, size),
    leafHashes: log.leafHashes.slice(0, size),
    sealed: log.sealed.slice(0, at + 1),
  })
  const { leaves, checkpoints } = shorter.draft([id])
  const events = all.slice(seq, leaf.seq + 1).map((event, i): LogEvent => {
    const bare = {
      ...event,
      body: without(event.body, 'withheld'),
      data: event.data && without(event.data, 'withheld'),
    }
    return i === 0 ? event : bare
  })
  const prev = all[seq - 1]?.hash ?? hexOf(nodeCrypto.sha256(utf8Of(`constancia.genesis/v1\n${name}\n`)))
  const kept = leaves.filter((one) => one.index === leaf.index || one.index === size - 1)
  const parts = {
    ...draft,
    prev,
    streams: [{ name, events }],
    leaves: kept,
    checkpoints: [{ ...checkpoints.at(-1)!, consistency: [] }],
  }
  change(parts)
  const [stream] = parts.streams
  const pieces: Uint8Array[] = []
  const given = { ...parts, stream: { ...stream!, eventCount: stream!.events.length } }
  for await (const piece of writeReceipt(given, nodeCrypto)) pieces.push(piece)
  return Buffer.concat(pieces)
}

import type { StoredEvent } from './event.js'

/**
 * One event as one line of JSON, for whoever reads a journal without Constancia. Fields: `stream`, `seq`, `kind`, `at`
 * (UTC milliseconds), `by`, `seen`, `body` and `data` (exact texts; data null where there is none), `bodySalt` and
 * `dataSalt` (hex), `dataCommit`, `hash` (hex). What the hash covers: `@constancia/verify`.
 */
export function exportLine(event: StoredEvent): string {
  const { stream, seq, kind, at, by, seen, body, hash } = event
  const bodySalt = hex(event.bodySalt)
  const dataSalt = event.dataSalt === undefined ? null : hex(event.dataSalt)
  const data = event.data ?? null
  const dataCommit = event.dataCommit ?? null
  return JSON.stringify({ stream, seq, kind, at, by, seen, body, bodySalt, data, dataSalt, dataCommit, hash })
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

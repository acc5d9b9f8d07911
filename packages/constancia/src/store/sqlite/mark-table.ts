import { runStream } from '../../journal/index.js'
import { epochLeap, type NotedHead, type Parking, stuckBefore, type Term } from '../index.js'
import type { Database } from './driver.js'

/** The table `marks`, and what else `Store.mark` and its companions read and write. */
export interface MarkTable {
  /** Oldest first, and what is noted as missing. */
  terms(): { readonly terms: readonly Term[]; readonly held: string | undefined }
  pulse(nowMs: number): void
  begin(term: Omit<Term, 'pulse'>): void
  hold(reason: string): void
  missing(heads: readonly NotedHead[]): NotedHead[]
  /** Parks every open run; returns how many there were. */
  park(parking: Parking): number
}

interface Row {
  readonly id: string
  readonly server: string
  readonly pulse: number
  readonly at: number
  readonly accepted: number
  readonly held: string | null
}

/** Prepares the statements. */
export function markTable(database: Database): MarkTable {
  const all = database.prepare('SELECT id, server, pulse, at, accepted, held FROM marks ORDER BY no')
  const ofLast = 'WHERE no = (SELECT max(no) FROM marks)'
  const pulse = database.prepare(`UPDATE marks SET pulse = pulse + 1, at = max(at, ?) ${ofLast}`)
  const begin = database.prepare(`
    INSERT INTO marks (no, id, server, pulse, at, accepted) SELECT max(no) + 1, ?, ?, 0, max(max(at), ?), ? FROM marks`)
  const hold = database.prepare(`UPDATE marks SET held = ? ${ofLast} AND held IS NULL`)
  return {
    terms: () => {
      const rows = all.all() as Row[]
      return { terms: rows.map(termOf), held: rows.at(-1)?.held ?? undefined }
    },
    pulse: (nowMs) => void pulse.run(nowMs),
    begin: ({ id, server, atMs, isAccepted }) => void begin.run(id, server, atMs, isAccepted ? 1 : 0),
    hold: (reason) => void hold.run(reason),
    missing: finder(database),
    park: parker(database),
  }
}

function termOf({ id, server, pulse, at, accepted }: Row): Term {
  return { id, server, pulse, atMs: at, isAccepted: accepted === 1 }
}

function finder(database: Database): MarkTable['missing'] {
  const event = database.prepare(`
    SELECT lower(hex(e.hash)) AS hash FROM streams AS s JOIN events AS e ON e.stream = s.no WHERE s.name = ? AND e.seq = ?`)
  const purged = database.prepare('SELECT 1 FROM streams AS s JOIN purged AS p ON p.stream = s.no WHERE s.name = ?')
  return (heads) =>
    heads.filter(({ run, seq, hash }) => {
      const stream = runStream(run)
      const found = event.get(stream, seq) as { readonly hash: string } | undefined
      if (found === undefined) return purged.get(stream) === undefined
      return hash !== undefined && found.hash !== hash
    })
}

// The same sentence as `parkedMessage`.
function parker(database: Database): MarkTable['park'] {
  const park = database.prepare(`
    UPDATE runs SET status = 'stuck', due_at = NULL, wake_at = NULL, waiting_for = NULL, claim_id = NULL, worker = NULL, lost_leases = 0,
      epoch = epoch + ${epochLeap}, stuck_message = ?2 || CASE WHEN stuck_code IS NULL OR stuck_code = ?1 THEN ''
        ELSE '${stuckBefore}' || stuck_code || ': ' || ifnull(stuck_message, '') END,
      stuck_code = CASE WHEN stuck_code = 'poison' THEN stuck_code ELSE ?1 END
    WHERE outcome = 'open'`)
  return ({ code, message }) => Number(park.run(code, message).changes)
}

/**
 * Schema 4. Who is alive, and who holds what since when:
 *
 * - `workers` has a row for each worker that announced itself: its note as JSON, when it did so first and last, and until when it
 *   is taken to be alive. It is a courtesy: whether a run may be taken is decided by its row alone.
 * - `runs.held_by` is the id of the worker that claimed the run, `held_since` when. Both are true only of the claim whose epoch
 *   is `held_epoch`.
 */
export const workers = `
CREATE TABLE workers (
  id TEXT PRIMARY KEY,
  since INTEGER NOT NULL,
  announced_at INTEGER NOT NULL,
  alive_until INTEGER NOT NULL,
  note TEXT NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE runs ADD COLUMN held_epoch INTEGER;
ALTER TABLE runs ADD COLUMN held_by TEXT;
ALTER TABLE runs ADD COLUMN held_since INTEGER;
`

/**
 * Schema 2. Children, continuations and limits:
 *
 * - `runs` learns whose child a run is, its key, its root, what continued it, and whether it is to end.
 * - `runs.latest` of a root is the last of the runs that took over from it.
 * - `runs.claimed_head_seq` is the last event when the run was last claimed, `lost_leases` how often in a row its lease ran
 *   out without an event of an owner in between.
 * - `outbox` holds what runs have to tell each other, by the event that says it, until it is done.
 * - `purged` keeps of a deleted journal its name, head and end. Only a stream that is in it may lose its events.
 */
export const manyRuns = `
ALTER TABLE runs ADD COLUMN key TEXT;
ALTER TABLE runs ADD COLUMN parent_run TEXT;
ALTER TABLE runs ADD COLUMN parent_op TEXT;
ALTER TABLE runs ADD COLUMN root TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN latest TEXT;
ALTER TABLE runs ADD COLUMN continued_as TEXT;
ALTER TABLE runs ADD COLUMN cancel_requested INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN claimed_head_seq INTEGER NOT NULL DEFAULT -1;
ALTER TABLE runs ADD COLUMN lost_leases INTEGER NOT NULL DEFAULT 0;
UPDATE runs SET root = id;

CREATE INDEX runs_parent ON runs (parent_run) WHERE parent_run IS NOT NULL;
CREATE INDEX runs_claimed ON runs (flow, key) WHERE claim_id IS NOT NULL;
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY,
  stream INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  target TEXT NOT NULL,
  UNIQUE (stream, seq)
) STRICT;

CREATE TABLE purged (
  stream INTEGER PRIMARY KEY,
  head_seq INTEGER NOT NULL,
  head_hash BLOB NOT NULL,
  outcome TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  purged_at INTEGER NOT NULL,
  by TEXT NOT NULL
) STRICT;

DROP TRIGGER events_no_delete;
CREATE TRIGGER events_no_delete BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM purged WHERE stream = OLD.stream)
BEGIN SELECT RAISE(FAIL, 'events are append-only: DELETE refused'); END;

DROP TRIGGER event_data_no_delete;
CREATE TRIGGER event_data_no_delete BEFORE DELETE ON event_data
WHEN NOT EXISTS (SELECT 1 FROM purged WHERE stream = (SELECT stream FROM events WHERE id = OLD.event))
BEGIN SELECT RAISE(FAIL, 'events are append-only: DELETE of data refused'); END;

CREATE TRIGGER purged_only_ended BEFORE INSERT ON purged
WHEN NOT EXISTS (SELECT 1 FROM runs WHERE stream = NEW.stream AND outcome <> 'open')
BEGIN SELECT RAISE(FAIL, 'only the journal of a run that has ended can be purged'); END;

CREATE TRIGGER purged_no_update BEFORE UPDATE ON purged
BEGIN SELECT RAISE(FAIL, 'what was purged is a fact: UPDATE refused'); END;

CREATE TRIGGER purged_no_delete BEFORE DELETE ON purged
BEGIN SELECT RAISE(FAIL, 'what was purged is a fact: DELETE refused'); END;
`

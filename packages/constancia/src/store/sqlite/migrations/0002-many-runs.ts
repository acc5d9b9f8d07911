/**
 * Schema 2. Children, continuations and limits:
 *
 * - `runs` learns whose child a run is, its key, its root (null where it is the run itself), what continued it, and whether it
 *   is to end. `latest` of a root is the last of the runs that took over from it.
 * - `claimed_head_seq` is the last event when the run was last claimed, `lost_leases` how often in a row its lease ran out
 *   without an event of an owner in between.
 * - Runs with a key are due in indexes of their own, by time and by key, so that a key at its limit is passed over at once and
 *   runs without a key cost what they did.
 * - The inbox of a run that took over is that of its root's stream.
 * - `outbox` holds what runs have to tell each other, by the event that says it, until it is done. Its ids are never used
 *   again: they are the order of the entries, and where a page ends.
 * - `purged` keeps of a deleted journal its head and its end; its name stays in `streams`. Only a stream that is in it may lose
 *   its events, only one that has an end may come into it, and none begins anew.
 */
export const manyRuns = `
ALTER TABLE runs ADD COLUMN key TEXT;
ALTER TABLE runs ADD COLUMN parent_run TEXT;
ALTER TABLE runs ADD COLUMN parent_op TEXT;
ALTER TABLE runs ADD COLUMN root TEXT;
ALTER TABLE runs ADD COLUMN latest TEXT;
ALTER TABLE runs ADD COLUMN continued_as TEXT;
ALTER TABLE runs ADD COLUMN cancel_requested INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN claimed_head_seq INTEGER NOT NULL DEFAULT -1;
ALTER TABLE runs ADD COLUMN lost_leases INTEGER NOT NULL DEFAULT 0;

DROP INDEX runs_due;
CREATE INDEX runs_due ON runs (flow, version, due_at) WHERE due_at IS NOT NULL AND key IS NULL;
CREATE INDEX runs_due_keyed ON runs (flow, version, due_at, stream, key) WHERE due_at IS NOT NULL AND key IS NOT NULL;
CREATE INDEX runs_due_key ON runs (flow, version, key, due_at) WHERE due_at IS NOT NULL AND key IS NOT NULL;
CREATE INDEX runs_running ON runs (flow, key, due_at) WHERE status = 'running';
CREATE INDEX runs_parent ON runs (parent_run) WHERE parent_run IS NOT NULL;
CREATE INDEX runs_ended ON runs (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
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

CREATE TRIGGER events_never_again BEFORE INSERT ON events
WHEN NEW.seq = 0 AND EXISTS (SELECT 1 FROM purged WHERE stream = NEW.stream)
BEGIN SELECT RAISE(FAIL, 'events are append-only: a journal that was purged does not begin anew'); END;

CREATE TRIGGER purged_only_ended BEFORE INSERT ON purged
WHEN NOT EXISTS (
  SELECT 1 FROM events AS e WHERE e.stream = NEW.stream AND e.seq = NEW.head_seq AND e.hash = NEW.head_hash
    AND e.seq = (SELECT max(seq) FROM events WHERE stream = NEW.stream)
    AND e.kind IN ('FlowCompleted', 'FlowFailed', 'FlowCancelled', 'FlowContinued'))
BEGIN SELECT RAISE(FAIL, 'events are append-only: only a journal that has an end can be purged'); END;

CREATE TRIGGER purged_no_update BEFORE UPDATE ON purged
BEGIN SELECT RAISE(FAIL, 'events are append-only: UPDATE of what was purged refused'); END;

CREATE TRIGGER purged_no_delete BEFORE DELETE ON purged
BEGIN SELECT RAISE(FAIL, 'events are append-only: DELETE of what was purged refused'); END;
`

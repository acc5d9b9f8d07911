/**
 * Schema 1. `events` and `event_data` are the journal; everything else can be computed from them (`rebuild`).
 *
 * - Hashes, commits and salts are bytes; texts are exactly what was hashed; moments are UTC milliseconds.
 * - `runs.due_at` is when somebody may next try the run: the moment it became ready, its wake time, or the end of its
 *   lease while it is claimed. It is null where only the outside can wake it, where it is stuck, and where it has ended.
 * - A run's head is its last event, and kept nowhere else: an append writes the events and nothing besides.
 * - `inbox` remembers deliveries, so that each counts once.
 *
 * Events are append-only by triggers. `INSERT OR REPLACE` deletes without firing the usual ones, so an insert over an
 * existing row is refused as well; the same trigger refuses a gap. There NEW.id is -1 where SQLite is to choose the id,
 * which spares a look-up; should that change, the look-up is made.
 */
export const journal = `
CREATE TABLE streams (
  no INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE events (
  id INTEGER PRIMARY KEY CHECK (id > 0),
  stream INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  body_salt BLOB NOT NULL,
  data_commit BLOB,
  at INTEGER NOT NULL,
  by TEXT NOT NULL,
  seen TEXT NOT NULL,
  hash BLOB NOT NULL,
  UNIQUE (stream, seq)
) STRICT;

CREATE TABLE event_data (
  event INTEGER PRIMARY KEY,
  salt BLOB NOT NULL,
  text TEXT NOT NULL
) STRICT;

CREATE TABLE runs (
  stream INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  flow TEXT NOT NULL,
  version INTEGER NOT NULL,
  actor TEXT,
  outcome TEXT NOT NULL,
  status TEXT NOT NULL,
  signal_count INTEGER NOT NULL,
  read_signal_count INTEGER NOT NULL,
  epoch INTEGER NOT NULL,
  claim_id TEXT,
  worker TEXT,
  due_at INTEGER,
  wake_at INTEGER,
  waiting_for TEXT,
  stuck_code TEXT,
  stuck_message TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER
) STRICT;

CREATE INDEX runs_due ON runs (flow, version, due_at) WHERE due_at IS NOT NULL;
CREATE INDEX runs_flow ON runs (flow);
CREATE INDEX runs_status ON runs (status);

CREATE TABLE inbox (
  stream INTEGER NOT NULL,
  delivery TEXT NOT NULL,
  PRIMARY KEY (stream, delivery)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER events_no_update BEFORE UPDATE ON events
BEGIN SELECT RAISE(FAIL, 'events are append-only: UPDATE refused'); END;

CREATE TRIGGER events_no_delete BEFORE DELETE ON events
BEGIN SELECT RAISE(FAIL, 'events are append-only: DELETE refused'); END;

CREATE TRIGGER events_no_replace BEFORE INSERT ON events
WHEN NEW.seq IS NOT (SELECT ifnull(max(seq), -1) + 1 FROM events WHERE stream = NEW.stream)
  OR (NEW.id > 0 AND EXISTS (SELECT 1 FROM events WHERE id = NEW.id))
BEGIN SELECT RAISE(FAIL, 'events are append-only: an INSERT must follow the last event'); END;

CREATE TRIGGER event_data_no_update BEFORE UPDATE ON event_data
BEGIN SELECT RAISE(FAIL, 'events are append-only: UPDATE of data refused'); END;

CREATE TRIGGER event_data_no_delete BEFORE DELETE ON event_data
BEGIN SELECT RAISE(FAIL, 'events are append-only: DELETE of data refused'); END;

CREATE TRIGGER event_data_no_replace BEFORE INSERT ON event_data
WHEN EXISTS (SELECT 1 FROM event_data WHERE event = NEW.event)
BEGIN SELECT RAISE(FAIL, 'events are append-only: INSERT over data refused'); END;
`

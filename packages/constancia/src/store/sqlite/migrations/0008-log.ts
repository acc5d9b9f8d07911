/**
 * Schema 8. The log over the heads of all streams:
 *
 * - `log_leaves` has a row for each leaf, by its index: a stream and how far it went. Only the next one may be added.
 * - `log_tiles` holds the hashes of leaves, and of whole tiles, 256 to a row at most. A tile only grows.
 * - `log_checkpoints` has the signed notes, by their sizes.
 * - `log` has one row: how many leaves there are, up to which id of `events` was looked at, and who seals. Whoever seals adds to all
 *   four in one transaction, only where `size` is what he knows.
 * - `log_owed` holds the ends of journals that were purged before they were sealed.
 *
 * Ids of purged events that were the last ones are used again: whoever looked at them has to look again. So a purge takes
 * `log.cursor` back, and counts in `log.purges`, which whoever seals compares as well.
 */
export const log = `
CREATE TABLE log (
  no INTEGER PRIMARY KEY CHECK (no = 1),
  size INTEGER NOT NULL,
  cursor INTEGER NOT NULL,
  purges INTEGER NOT NULL,
  holder TEXT,
  held_until INTEGER
) STRICT;

INSERT INTO log (no, size, cursor, purges) VALUES (1, 0, 0, 0);

CREATE TABLE log_leaves (
  no INTEGER PRIMARY KEY CHECK (no >= 0),
  stream INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL
) STRICT;

CREATE INDEX log_leaves_stream ON log_leaves (stream);

CREATE TABLE log_tiles (
  level INTEGER NOT NULL,
  no INTEGER NOT NULL,
  hashes BLOB NOT NULL,
  PRIMARY KEY (level, no)
) STRICT;

CREATE TABLE log_checkpoints (
  size INTEGER PRIMARY KEY CHECK (size > 0),
  root BLOB NOT NULL,
  note TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE log_owed (
  stream INTEGER PRIMARY KEY,
  seq INTEGER NOT NULL,
  hash BLOB NOT NULL
) STRICT;

INSERT INTO log_owed (stream, seq, hash) SELECT stream, head_seq, head_hash FROM purged;

CREATE TRIGGER log_leaves_no_update BEFORE UPDATE ON log_leaves
BEGIN SELECT RAISE(FAIL, 'the log is append-only: UPDATE of leaves refused'); END;

CREATE TRIGGER log_leaves_no_delete BEFORE DELETE ON log_leaves
BEGIN SELECT RAISE(FAIL, 'the log is append-only: DELETE of leaves refused'); END;

CREATE TRIGGER log_leaves_follow BEFORE INSERT ON log_leaves
WHEN NEW.no IS NOT (SELECT ifnull(max(no), -1) + 1 FROM log_leaves)
BEGIN SELECT RAISE(FAIL, 'the log is append-only: a leaf must follow the last one'); END;

CREATE TRIGGER log_checkpoints_no_update BEFORE UPDATE ON log_checkpoints
BEGIN SELECT RAISE(FAIL, 'the log is append-only: UPDATE of checkpoints refused'); END;

CREATE TRIGGER log_checkpoints_no_delete BEFORE DELETE ON log_checkpoints
BEGIN SELECT RAISE(FAIL, 'the log is append-only: DELETE of checkpoints refused'); END;

CREATE TRIGGER log_checkpoints_follow BEFORE INSERT ON log_checkpoints
WHEN NEW.size <= (SELECT ifnull(max(size), 0) FROM log_checkpoints)
BEGIN SELECT RAISE(FAIL, 'the log is append-only: a checkpoint must be larger than the last one'); END;

CREATE TRIGGER log_tiles_only_grow BEFORE UPDATE ON log_tiles
WHEN NEW.level IS NOT OLD.level OR NEW.no IS NOT OLD.no OR substr(NEW.hashes, 1, length(OLD.hashes)) IS NOT OLD.hashes
BEGIN SELECT RAISE(FAIL, 'the log is append-only: a tile only grows'); END;

CREATE TRIGGER log_tiles_no_replace BEFORE INSERT ON log_tiles
WHEN EXISTS (SELECT 1 FROM log_tiles WHERE level = NEW.level AND no = NEW.no)
BEGIN SELECT RAISE(FAIL, 'the log is append-only: INSERT over a tile refused'); END;

CREATE TRIGGER log_tiles_no_delete BEFORE DELETE ON log_tiles
BEGIN SELECT RAISE(FAIL, 'the log is append-only: DELETE of tiles refused'); END;

CREATE TRIGGER log_owes BEFORE INSERT ON purged
BEGIN
  INSERT INTO log_owed (stream, seq, hash) SELECT NEW.stream, NEW.head_seq, NEW.head_hash
  WHERE NOT EXISTS (SELECT 1 FROM log_leaves WHERE stream = NEW.stream AND seq = NEW.head_seq);
  UPDATE log SET purges = purges + 1,
    cursor = min(cursor, ifnull((SELECT id FROM events WHERE stream <> NEW.stream ORDER BY id DESC LIMIT 1), 0));
END;
`

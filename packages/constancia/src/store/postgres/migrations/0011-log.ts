/**
 * Schema 11. The log over the heads of all streams:
 *
 * - `log_leaves` has a row for each leaf, by its index: a stream and how far it went. Only the next one may be added.
 * - `log_tiles` holds the hashes of leaves, and of whole tiles, 256 to a row at most. A tile only grows.
 * - `log_checkpoints` has the signed notes, by their sizes.
 * - `log` has one row: how many leaves there are, up to where events were looked at, and who seals. Whoever seals adds to all four in
 *   one transaction, only where `size` is what he knows.
 * - `log_owed` holds the ends of journals that were purged before they were sealed. Whoever may purge need not have rights on it.
 *
 * `events.xid` is the transaction that wrote the event, whoever wrote it: versions of before name no such column and get its default. No
 * number that is given out in order is a position here, for transactions commit in another one; what a snapshot did not see is read
 * by its transactions instead. Rows are written where the table ends, so an index of the least and the greatest of each block range
 * finds them, and costs next to nothing to keep.
 */
const tables = `
ALTER TABLE {schema}.events ADD COLUMN xid bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint;
CREATE INDEX events_xid ON {schema}.events USING brin (xid) WITH (pages_per_range = 16, autosummarize = on);

CREATE TABLE {schema}.log (
  no integer PRIMARY KEY CHECK (no = 1),
  size bigint NOT NULL,
  cursor text NOT NULL,
  holder text,
  held_until bigint
);

INSERT INTO {schema}.log (no, size, cursor) VALUES (1, 0, '');

CREATE TABLE {schema}.log_leaves (
  no bigint PRIMARY KEY CHECK (no >= 0),
  stream bigint NOT NULL,
  seq integer NOT NULL,
  hash bytea NOT NULL
);

CREATE INDEX log_leaves_stream ON {schema}.log_leaves (stream, no);

CREATE TABLE {schema}.log_tiles (
  level integer NOT NULL,
  no bigint NOT NULL,
  hashes bytea NOT NULL,
  PRIMARY KEY (level, no)
);

CREATE TABLE {schema}.log_checkpoints (
  size bigint PRIMARY KEY CHECK (size > 0),
  root bytea NOT NULL,
  note text NOT NULL,
  at bigint NOT NULL
);

CREATE TABLE {schema}.log_owed (
  stream bigint PRIMARY KEY,
  seq integer NOT NULL,
  hash bytea NOT NULL
);

INSERT INTO {schema}.log_owed (stream, seq, hash) SELECT stream, head_seq, head_hash FROM {schema}.purged;
`

const appendOnly = `
CREATE FUNCTION {schema}.refuse_in_log() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  RAISE EXCEPTION 'the log is append-only: % of % refused', TG_OP, TG_TABLE_NAME;
END $body$;

CREATE FUNCTION {schema}.check_leaf() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NEW.no = 0 OR EXISTS (SELECT 1 FROM {schema}.log_leaves AS l WHERE l.no = NEW.no - 1) THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'the log is append-only: a leaf must follow the last one';
END $body$;

CREATE FUNCTION {schema}.check_tile() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF NEW.level = OLD.level AND NEW.no = OLD.no AND substring(NEW.hashes FROM 1 FOR length(OLD.hashes)) = OLD.hashes THEN
    RETURN NEW;
  END IF;
  RAISE EXCEPTION 'the log is append-only: a tile only grows';
END $body$;

CREATE FUNCTION {schema}.owe() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $body$
BEGIN
  INSERT INTO {schema}.log_owed (stream, seq, hash) SELECT NEW.stream, NEW.head_seq, NEW.head_hash
  WHERE NOT EXISTS (SELECT 1 FROM {schema}.log_leaves AS l WHERE l.stream = NEW.stream AND l.seq = NEW.head_seq);
  RETURN NULL;
END $body$;

CREATE TRIGGER log_owes AFTER INSERT ON {schema}.purged FOR EACH ROW EXECUTE FUNCTION {schema}.owe();
CREATE TRIGGER leaves_follow BEFORE INSERT ON {schema}.log_leaves FOR EACH ROW EXECUTE FUNCTION {schema}.check_leaf();
CREATE TRIGGER tiles_only_grow BEFORE UPDATE ON {schema}.log_tiles FOR EACH ROW EXECUTE FUNCTION {schema}.check_tile();
ALTER TABLE {schema}.purged ENABLE ALWAYS TRIGGER log_owes;
ALTER TABLE {schema}.log_leaves ENABLE ALWAYS TRIGGER leaves_follow;
ALTER TABLE {schema}.log_tiles ENABLE ALWAYS TRIGGER tiles_only_grow;
`

const refused: readonly (readonly [table: string, name: string, changes: string])[] = [
  ['log_leaves', 'leaves_no_change', 'UPDATE OR DELETE OR TRUNCATE'],
  ['log_checkpoints', 'checkpoints_no_change', 'UPDATE OR DELETE OR TRUNCATE'],
  ['log_tiles', 'tiles_no_removal', 'DELETE OR TRUNCATE'],
]

const refusals = refused.map(
  ([table, name, changes]) => `
CREATE TRIGGER ${name} BEFORE ${changes} ON {schema}.${table} FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_in_log();
ALTER TABLE {schema}.${table} ENABLE ALWAYS TRIGGER ${name};
`,
)

/** Tables of the log, and the triggers that keep it as it is. */
export const log = `${tables}${appendOnly}${refusals.join('')}`

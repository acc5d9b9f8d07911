import { bodyWith, changes } from './0002-writing.js'
import { starts, withPriority } from './0003-priorities.js'

/**
 * Schema 8. Streams that belong to no run, and writes that depend on where such a stream ends. Their events are in `events` like all
 * others; nothing else is kept of them.
 *
 * Whoever adds to such a stream holds a lock of its name alone, whoever depends on its end shares it, each up to the end of its
 * transaction; and looks where the stream ends once it has the lock. Locks of names are granted in the order in which they were
 * asked for: a row that many share without a pause would keep off whoever wants to change it for as long as that goes on. They are
 * taken before rows are, in the order of the names.
 *
 * `stream_heads(…)` shares the locks of some streams and tells where these end; `lock_stream(…)` locks one alone and tells that as well,
 * and what time it is; `add_to_stream(…)` adds to it. All of them look twice in one transaction, so it has to see what others commit.
 *
 * `write_under(…)` is `write(…)` with three groups before the others: `b_`, ends of streams; `c_basis`, by which place in them each
 * change was decided, null for none; and `a_`, what events do to approvals (schema 9). Where a change would fit, but the stream has not that end any more, what comes back is `basis_moved`.
 *
 * Runs that are paused have no lost leases, as those that wait: `write(…)` of schema 3 is replaced by one that knows it.
 */
const locks = `
CREATE FUNCTION {schema}.stream_key(of_stream text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $body$
  SELECT hashtextextended($name$constancia/{schema}/$name$ || of_stream, 0)
$body$;

CREATE FUNCTION {schema}.check_isolation() RETURNS void LANGUAGE plpgsql STABLE AS $body$
BEGIN
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION 'the transaction isolation level has to be read committed, not %', current_setting('transaction_isolation')
      USING ERRCODE = 'invalid_transaction_state';
  END IF;
END $body$;
`

const lastOf = (name: string): string => `
    SELECT e.seq, e.hash, e.at FROM {schema}.events AS e
    WHERE e.stream = (SELECT s.no FROM {schema}.streams AS s WHERE s.name = ${name}) ORDER BY e.seq DESC LIMIT 1`

const manner = 'LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off'

const heads = `
CREATE FUNCTION {schema}.stream_heads(of_streams text[])
RETURNS TABLE (head_stream text, head_seq integer, head_hash bytea, head_at bigint) ${manner} AS $body$
DECLARE
  one text;
BEGIN
  PERFORM {schema}.check_isolation();
  FOR one IN SELECT DISTINCT i.name COLLATE "C" FROM unnest(of_streams) AS i (name) ORDER BY 1 LOOP
    PERFORM pg_advisory_xact_lock_shared({schema}.stream_key(one));
  END LOOP;
  RETURN QUERY
    SELECT i.name, l.seq, l.hash, l.at FROM unnest(of_streams) WITH ORDINALITY AS i (name, ord)
    LEFT JOIN LATERAL (${lastOf('i.name')}) AS l ON true ORDER BY i.ord;
END $body$;

CREATE FUNCTION {schema}.lock_stream(of_stream text)
RETURNS TABLE (head_seq integer, head_hash bytea, head_at bigint, head_now_ms bigint) ${manner} AS $body$
BEGIN
  PERFORM {schema}.check_isolation();
  PERFORM pg_advisory_xact_lock({schema}.stream_key(of_stream));
  RETURN QUERY
    SELECT l.seq, l.hash, l.at, {schema}.now_ms() FROM (SELECT 1) AS i LEFT JOIN LATERAL (${lastOf('of_stream')}) AS l ON true;
END $body$;

CREATE FUNCTION {schema}.add_to_stream(
  of_stream text, e_seq integer[], e_kind text[], e_body text[], e_body_salt bytea[], e_data_commit bytea[], e_at bigint[],
  e_by text[], e_seen text[], e_hash bytea[], e_data_salt bytea[], e_data text[])
RETURNS void ${manner} AS $body$
DECLARE
  place bigint;
BEGIN
  SELECT s.no INTO place FROM {schema}.streams AS s WHERE s.name = of_stream;
  IF place IS NULL THEN INSERT INTO {schema}.streams (name) VALUES (of_stream) RETURNING no INTO place; END IF;
  INSERT INTO {schema}.events (stream, seq, kind, body, body_salt, data_commit, at, by, seen, hash)
  SELECT place, i.seq, i.kind, i.body, i.salt, i.data_commit, i.at, i.author, i.seen, i.hash
  FROM unnest(e_seq, e_kind, e_body, e_body_salt, e_data_commit, e_at, e_by, e_seen, e_hash)
    AS i (seq, kind, body, salt, data_commit, at, author, seen, hash);
  INSERT INTO {schema}.event_data (stream, seq, salt, text)
  SELECT place, i.seq, i.salt, i.data FROM unnest(e_seq, e_data_salt, e_data) AS i (seq, salt, data) WHERE i.data IS NOT NULL;
END $body$;
`

const knowing = (text: string): string =>
  replaced(text, `('ready', 'waiting', 'stuck')`, `('ready', 'waiting', 'paused', 'stuck')`)

const signatureUnder = replaced(
  replaced(withPriority, '{schema}.write(', '{schema}.write_under('),
  'c_run text[],',
  'b_stream text[], b_seq integer[], b_hash bytea[], c_basis integer[],\n  a_ord integer[], a_op text[], a_begun text[], a_votes integer[], a_more text[], a_status text[],\n  c_run text[],',
)

const bases = `
  SELECT array_agg(coalesce(h.head_seq, -1) = b_seq[h.ord] AND (h.head_seq IS NULL OR h.head_hash = b_hash[h.ord]) ORDER BY h.ord)
  INTO stands FROM {schema}.stream_heads(b_stream) WITH ORDINALITY AS h (head_stream, head_seq, head_hash, head_at, ord);`

const guard = 'AND (i.seq IS NULL OR (r.head_seq = i.seq AND r.head_hash = i.hash))'

const changesUnder = replaced(
  replaced(
    replaced(
      replaced(changes, `${guard} AS fits`, `${guard}\n          AND (i.basis IS NULL OR stands[i.basis]) AS fits`),
      'unnest(c_run, c_claim, c_epoch, c_at_seq, c_at_hash) WITH ORDINALITY AS i (run, claim, epoch, seq, hash, ord)',
      'unnest(c_run, c_claim, c_epoch, c_at_seq, c_at_hash, c_basis)\n        WITH ORDINALITY AS i (run, claim, epoch, seq, hash, basis, ord)',
    ),
    `ELSE 'head_conflict' END`,
    `WHEN i.seq IS NOT NULL AND (r.head_seq <> i.seq OR r.head_hash <> i.hash) THEN 'head_conflict'
            ELSE 'basis_moved' END`,
  ),
  'FROM unnest(c_run, c_claim, c_epoch) WITH ORDINALITY AS i (run, claim, epoch, ord)',
  'FROM unnest(c_run, c_claim, c_epoch, c_at_seq, c_at_hash)\n          WITH ORDINALITY AS i (run, claim, epoch, seq, hash, ord)',
)

const body = bodyWith(starts)

const keeping = `
  IF cardinality(a_ord) > 0 THEN
    PERFORM {schema}.keep_approvals(places, a_ord, a_op, a_begun, a_votes, a_more, a_status);
  END IF;`

const bodyUnder = replaced(
  replaced(
    replaced(body, changes, `${bases}${changesUnder}`),
    'places bigint[]',
    'stands boolean[];\n  places bigint[]',
  ),
  '\nEND $body$;',
  `${keeping}\nEND $body$;`,
)

// A text that is not there any more would leave out what is to be changed.
function replaced(text: string, what: string, by: string): string {
  if (text.split(what).length !== 2) throw new TypeError(`${what} is not once in what a migration is made of`)
  return text.split(what).join(by)
}

/** The locks of streams, what looks at them and adds to them, and the functions that write. */
export const streams = `${locks}${heads}${replaced(withPriority, 'CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION')}${knowing(body)}${signatureUnder}${knowing(bodyUnder)}`

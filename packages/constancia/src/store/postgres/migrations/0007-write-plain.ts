/**
 * Schema 7. `write_plain(…)` writes what most runs do most of the time: one event each of their owners, which end nothing and tell
 * nobody anything. It does for many what `write_one(…)` does for one, and what `write(…)` would do: but each row of `runs` is
 * written once, by the statement that guards it, where `write(…)` locks it before it knows what fits, and nothing is sent that such
 * an event does not have.
 *
 * Answers the places, counted from 1, of what is stored; null where all of it is. The rest does not fit, and `write(…)`, given the
 * same, says why. Rows are locked in the order of their ids, as everywhere.
 */
export const writingPlain = `
CREATE FUNCTION {schema}.write_plain(
  of_run text[], of_claim text[], of_epoch integer[], at_hash bytea[], read integer[],
  e_seq integer[], e_kind text[], e_body text[], e_body_salt bytea[], e_data_commit bytea[], e_at bigint[], e_by text[],
  e_seen text[], e_hash bytea[], e_data_salt bytea[], e_data text[])
RETURNS integer[]
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET lock_timeout = '10s' AS $body$
DECLARE
  stored integer[];
BEGIN
  WITH given AS (
    SELECT * FROM unnest(of_run, of_claim, of_epoch, at_hash, read, e_seq, e_kind, e_body, e_body_salt, e_data_commit, e_at, e_by,
      e_seen, e_hash, e_data_salt, e_data) WITH ORDINALITY AS i (run, claim, epoch, at_hash, read, seq, kind, body, salt,
      data_commit, at, author, seen, hash, data_salt, data, ord)
    ORDER BY i.run COLLATE "C"),
  moved AS (
    UPDATE {schema}.runs AS r SET head_seq = g.seq, head_hash = g.hash, head_at = g.at,
      read_signal_count = coalesce(g.read, r.read_signal_count), progressed = true
    FROM given AS g
    WHERE r.id = g.run AND r.outcome = 'open' AND r.claim_id = g.claim AND r.epoch = g.epoch
      AND r.head_seq = g.seq - 1 AND r.head_hash = g.at_hash
    RETURNING r.stream, g.*),
  of_data AS (
    INSERT INTO {schema}.event_data (stream, seq, salt, text)
    SELECT m.stream, m.seq, m.data_salt, m.data FROM moved AS m WHERE m.data IS NOT NULL),
  of_events AS (
    INSERT INTO {schema}.events (stream, seq, kind, body, body_salt, data_commit, at, by, seen, hash)
    SELECT m.stream, m.seq, m.kind, m.body, m.salt, m.data_commit, m.at, m.author, m.seen, m.hash FROM moved AS m)
  SELECT array_agg(m.ord) INTO stored FROM moved AS m;
  IF cardinality(stored) = cardinality(of_run) THEN RETURN NULL; END IF;
  RETURN coalesce(stored, '{}');
END $body$;
`

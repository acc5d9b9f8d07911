/**
 * Schema 6. `write_one(…)` writes what a run does when it is alone: one event of its owner, which ends nothing and tells nobody
 * anything. It does what `write(…)` would do, without arrays, whose making and taking apart costs more than the rows themselves.
 *
 * True where it is stored. False where run, claim, epoch or head do not fit: then nothing is written, and `write(…)`, given the
 * same, says why. It guards itself in the statement that locks the run's row.
 */
export const writingOne = `
CREATE FUNCTION {schema}.write_one(
  of_run text, of_claim text, of_epoch integer, at_seq integer, at_hash bytea, read integer,
  e_kind text, e_body text, e_body_salt bytea, e_data_commit bytea, e_at bigint, e_by text, e_seen text, e_hash bytea,
  e_data_salt bytea, e_data text)
RETURNS boolean
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET lock_timeout = '10s' AS $body$
DECLARE
  place bigint;
BEGIN
  UPDATE {schema}.runs AS r SET head_seq = at_seq + 1, head_hash = e_hash, head_at = e_at,
    read_signal_count = coalesce(read, r.read_signal_count), progressed = true
  WHERE r.id = of_run AND r.outcome = 'open' AND r.claim_id = of_claim AND r.epoch = of_epoch
    AND r.head_seq = at_seq AND r.head_hash = at_hash
  RETURNING r.stream INTO place;
  IF place IS NULL THEN RETURN false; END IF;
  INSERT INTO {schema}.events (stream, seq, kind, body, body_salt, data_commit, at, by, seen, hash)
  VALUES (place, at_seq + 1, e_kind, e_body, e_body_salt, e_data_commit, e_at, e_by, e_seen, e_hash);
  IF e_data IS NOT NULL THEN
    INSERT INTO {schema}.event_data (stream, seq, salt, text) VALUES (place, at_seq + 1, e_data_salt, e_data);
  END IF;
  RETURN true;
END $body$;
`

/**
 * Schema 2. The two functions by which everything is written in one round trip. They keep their plans in the server, so
 * that nothing has to be prepared on a connection, which a transaction pooler may give to somebody else.
 *
 * `now_ms()` is the clock of everything here: the statement's, not the transaction's.
 *
 * `write(…)` takes columns of arrays, in groups:
 *
 * | group | is | fits |
 * |---|---|---|
 * | `c_` | changes of runs that exist | only where claim and epoch, and head, are those that are given; null asks for nothing |
 * | `n_` | runs to start | only where the id was never used |
 * | `e_`, `i_`, `o_` | events, deliveries and outbox entries of the change or start at place `ord`, counted on from `c_` to `n_` | only with it |
 * | `l_` | roots and the run that took over last | always |
 * | `s_` | outbox entries that are done | always |
 *
 * Plans are made once, without looking at the arrays: a plan for each of them would take longer than what it plans.
 *
 * It locks the rows of `c_` in the order of their ids, and each fits or does not without regard to the others. What does not
 * fit comes back, with what was found instead. A change without a status leaves the run with its owner.
 */
const clock = `
CREATE FUNCTION {schema}.now_ms() RETURNS bigint LANGUAGE sql VOLATILE AS $body$
  SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint
$body$;
`

/** Of the function that writes. */
export const signature = `
CREATE FUNCTION {schema}.write(
  c_run text[], c_claim text[], c_epoch integer[], c_at_seq integer[], c_at_hash bytea[], c_seq integer[], c_hash bytea[],
  c_at bigint[], c_outcome text[], c_ended bigint[], c_continued text[], c_signals integer[], c_read integer[],
  c_cancel boolean[], c_progress boolean[], c_status text[], c_due bigint[], c_waiting text[], c_code text[], c_message text[],
  n_run text[], n_flow text[], n_version integer[], n_actor text[], n_key text[], n_parent_run text[], n_parent_op text[],
  n_root text[], n_continued text[], n_cancel boolean[], n_outcome text[], n_signals integer[], n_seq integer[],
  n_hash bytea[], n_at bigint[], n_started bigint[], n_ended bigint[],
  e_ord integer[], e_seq integer[], e_kind text[], e_body text[], e_body_salt bytea[], e_data_commit bytea[], e_at bigint[],
  e_by text[], e_seen text[], e_hash bytea[], e_data_salt bytea[], e_data text[],
  i_ord integer[], i_root text[], i_delivery text[],
  o_ord integer[], o_seq integer[], o_kind text[], o_target text[],
  l_root text[], l_latest text[],
  s_run text[], s_seq integer[],
  channel text, note text)
RETURNS TABLE (unfit_ord integer, unfit_kind text, unfit_seq integer, unfit_hash text, unfit_at bigint, unfit_claim text,
  unfit_epoch integer)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET lock_timeout = '10s'`

/** Locks the rows of changes and finds those that fit. */
export const changes = `
  IF changes > 0 THEN
    WITH locked AS MATERIALIZED (
      SELECT i.ord, r.stream,
        r.outcome = 'open' AND (i.claim IS NULL OR (r.claim_id = i.claim AND r.epoch = i.epoch))
          AND (i.seq IS NULL OR (r.head_seq = i.seq AND r.head_hash = i.hash)) AS fits
      FROM unnest(c_run, c_claim, c_epoch, c_at_seq, c_at_hash) WITH ORDINALITY AS i (run, claim, epoch, seq, hash, ord)
      JOIN {schema}.runs AS r ON r.id = i.run
      ORDER BY r.id
      FOR NO KEY UPDATE OF r)
    SELECT array_agg(CASE WHEN l.fits THEN l.stream ELSE 0 END ORDER BY o.ord) INTO places
    FROM generate_series(1, changes) AS o (ord) LEFT JOIN locked AS l ON l.ord = o.ord;
    IF 0 = ANY (places) THEN
      RETURN QUERY
        SELECT i.ord::integer,
          CASE WHEN r.stream IS NULL THEN 'claim_lost' WHEN r.outcome <> 'open' THEN 'run_ended'
            WHEN i.claim IS NOT NULL AND (r.claim_id IS DISTINCT FROM i.claim OR r.epoch <> i.epoch) THEN 'claim_lost'
            ELSE 'head_conflict' END,
          r.head_seq, encode(r.head_hash, 'hex'), r.head_at, r.claim_id, r.epoch
        FROM unnest(c_run, c_claim, c_epoch) WITH ORDINALITY AS i (run, claim, epoch, ord)
        LEFT JOIN {schema}.runs AS r ON r.id = i.run WHERE places[i.ord] = 0;
    END IF;
  END IF;`

const starts = `
  IF cardinality(n_run) > 0 THEN
    WITH made AS (
      INSERT INTO {schema}.streams (name)
      SELECT 'run/' || i.run FROM unnest(n_run) WITH ORDINALITY AS i (run, ord) ORDER BY i.ord
      ON CONFLICT DO NOTHING RETURNING no, name)
    SELECT places || array_agg(coalesce(m.no, 0) ORDER BY i.ord) INTO places
    FROM unnest(n_run) WITH ORDINALITY AS i (run, ord) LEFT JOIN made AS m ON m.name = 'run/' || i.run;
    INSERT INTO {schema}.runs (stream, id, flow, version, actor, key, parent_run, parent_op, root, continued_as,
      cancel_requested, outcome, status, head_seq, head_hash, head_at, signal_count, read_signal_count, epoch, progressed,
      lost_leases, due_at, started_at, ended_at)
    SELECT places[changes + i.ord], i.run, i.flow, i.version, i.actor, i.key, i.parent_run, i.parent_op, i.root, i.continued,
      i.cancel, i.outcome, CASE WHEN i.outcome = 'open' THEN 'ready' ELSE i.outcome END, i.seq, i.hash, i.at, i.signals, 0, 0,
      false, 0, CASE WHEN i.outcome = 'open' THEN {schema}.now_ms() END, i.started, i.ended
    FROM unnest(n_run, n_flow, n_version, n_actor, n_key, n_parent_run, n_parent_op, n_root, n_continued, n_cancel, n_outcome,
      n_signals, n_seq, n_hash, n_at, n_started, n_ended) WITH ORDINALITY AS i (run, flow, version, actor, key, parent_run,
      parent_op, root, continued, cancel, outcome, signals, seq, hash, at, started, ended, ord)
    WHERE places[changes + i.ord] > 0;
    RETURN QUERY
      SELECT (changes + i.ord)::integer, 'exists', NULL::integer, NULL, NULL::bigint, NULL, NULL::integer
      FROM unnest(n_run) WITH ORDINALITY AS i (run, ord) WHERE places[changes + i.ord] = 0;
  END IF;`

const events = `
  IF cardinality(e_ord) > 0 THEN
    INSERT INTO {schema}.events (stream, seq, kind, body, body_salt, data_commit, at, by, seen, hash)
    SELECT places[i.ord], i.seq, i.kind, i.body, i.salt, i.data_commit, i.at, i.author, i.seen, i.hash
    FROM unnest(e_ord, e_seq, e_kind, e_body, e_body_salt, e_data_commit, e_at, e_by, e_seen, e_hash)
      AS i (ord, seq, kind, body, salt, data_commit, at, author, seen, hash)
    WHERE places[i.ord] > 0;
    INSERT INTO {schema}.event_data (stream, seq, salt, text)
    SELECT places[i.ord], i.seq, i.salt, i.data
    FROM unnest(e_ord, e_seq, e_data_salt, e_data) AS i (ord, seq, salt, data)
    WHERE places[i.ord] > 0 AND i.data IS NOT NULL;
  END IF;`

const updates = `
  IF changes > 0 THEN
    UPDATE {schema}.runs AS r SET
      head_seq = coalesce(i.seq, r.head_seq), head_hash = coalesce(i.hash, r.head_hash), head_at = coalesce(i.at, r.head_at),
      outcome = coalesce(i.outcome, r.outcome), ended_at = coalesce(i.ended, r.ended_at),
      continued_as = coalesce(i.continued, r.continued_as), signal_count = coalesce(i.signals, r.signal_count),
      read_signal_count = coalesce(i.read, r.read_signal_count), cancel_requested = coalesce(i.cancel, r.cancel_requested),
      progressed = i.progress OR r.progressed, status = coalesce(i.status, r.status),
      claim_id = CASE WHEN i.status IS NULL THEN r.claim_id END, worker = CASE WHEN i.status IS NULL THEN r.worker END,
      due_at = CASE WHEN i.status IS NULL THEN r.due_at WHEN i.status = 'ready' THEN {schema}.now_ms() ELSE i.due END,
      wake_at = CASE WHEN i.status IS NULL THEN r.wake_at ELSE i.due END,
      waiting_for = CASE WHEN i.status IS NULL THEN r.waiting_for ELSE i.waiting END,
      stuck_code = CASE WHEN i.status IS NULL THEN r.stuck_code ELSE i.code END,
      stuck_message = CASE WHEN i.status IS NULL THEN r.stuck_message ELSE i.message END,
      lost_leases = CASE WHEN i.status IN ('ready', 'waiting', 'stuck') THEN 0 ELSE r.lost_leases END
    FROM unnest(c_seq, c_hash, c_at, c_outcome, c_ended, c_continued, c_signals, c_read, c_cancel, c_progress, c_status, c_due,
      c_waiting, c_code, c_message) WITH ORDINALITY AS i (seq, hash, at, outcome, ended, continued, signals, read, cancel,
      progress, status, due, waiting, code, message, ord)
    WHERE r.stream = places[i.ord] AND places[i.ord] > 0;
  END IF;`

const rest = `
  IF cardinality(i_ord) > 0 THEN
    INSERT INTO {schema}.inbox (root, delivery)
    SELECT i.root, i.delivery FROM unnest(i_ord, i_root, i_delivery) AS i (ord, root, delivery)
    WHERE places[i.ord] > 0 AND i.ord <= changes;
    INSERT INTO {schema}.inbox (root, delivery)
    SELECT i.root, i.delivery FROM unnest(i_ord, i_root, i_delivery) AS i (ord, root, delivery)
    WHERE places[i.ord] > 0 AND i.ord > changes ON CONFLICT DO NOTHING;
  END IF;
  IF cardinality(o_ord) > 0 THEN
    INSERT INTO {schema}.outbox (stream, seq, kind, target)
    SELECT places[i.ord], i.seq, i.kind, i.target
    FROM unnest(o_ord, o_seq, o_kind, o_target) WITH ORDINALITY AS i (ord, seq, kind, target, no)
    WHERE places[i.ord] > 0 ORDER BY i.no;
  END IF;
  IF cardinality(l_root) > 0 THEN
    UPDATE {schema}.runs AS r SET latest = i.latest FROM unnest(l_root, l_latest) AS i (root, latest) WHERE r.id = i.root;
  END IF;
  IF cardinality(s_run) > 0 THEN
    DELETE FROM {schema}.outbox AS o USING unnest(s_run, s_seq) AS i (run, seq), {schema}.streams AS t
    WHERE t.name = 'run/' || i.run AND o.stream = t.no AND o.seq = i.seq;
  END IF;
  IF note IS NOT NULL THEN PERFORM pg_notify(channel, note); END IF;`

/** The body of the function that writes, with what starts runs. */
export const bodyWith = (starting: string): string => ` AS $body$
DECLARE
  changes integer := cardinality(c_run);
  places bigint[] := '{}';
BEGIN${changes}${starting}${events}${updates}${rest}
END $body$;
`

/** The clock, and the function that writes. */
export const writing = `${clock}${signature}${bodyWith(starts)}`

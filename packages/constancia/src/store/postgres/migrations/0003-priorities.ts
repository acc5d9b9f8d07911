import { bodyWith, signature } from './0002-writing.js'

/**
 * Schema 3. Runs have a priority: 0 for those that were there before, whose journals name none, and for those that an older
 * version starts, which knows of none. Runs that are due are in the order of their priorities, highest first, and then of their
 * times. The index of schema 1 goes: a planner that had both might take it, and read past everything of a low priority that is
 * due. Older versions find their runs by the new one as well; they sort what is due.
 *
 * A second `write(…)`, with one column more in the group `n_`, is beside the first, which older versions call. `next_due(…)`
 * tells of each flow and each of its priorities when the first run is due that is none of those passed over, highest priority
 * first, and what time it is; `next_due_limited(…)` when the first run of one flow is due that its limits let pass.
 */
const runs = `
ALTER TABLE {schema}.runs ADD COLUMN priority smallint NOT NULL DEFAULT 0;
DROP INDEX {schema}.runs_due;
CREATE INDEX runs_due ON {schema}.runs (flow, version, priority DESC, due_at, stream) WHERE due_at IS NOT NULL;
`

/** Of the function that writes, with the column. */
export const withPriority = signature.replace('n_key text[],', 'n_key text[], n_priority smallint[],')

/** Starts runs, with the column. */
export const starts = `
  IF cardinality(n_run) > 0 THEN
    WITH made AS (
      INSERT INTO {schema}.streams (name)
      SELECT 'run/' || i.run FROM unnest(n_run) WITH ORDINALITY AS i (run, ord) ORDER BY i.ord
      ON CONFLICT DO NOTHING RETURNING no, name)
    SELECT places || array_agg(coalesce(m.no, 0) ORDER BY i.ord) INTO places
    FROM unnest(n_run) WITH ORDINALITY AS i (run, ord) LEFT JOIN made AS m ON m.name = 'run/' || i.run;
    INSERT INTO {schema}.runs (stream, id, flow, version, actor, key, priority, parent_run, parent_op, root, continued_as,
      cancel_requested, outcome, status, head_seq, head_hash, head_at, signal_count, read_signal_count, epoch, progressed,
      lost_leases, due_at, started_at, ended_at)
    SELECT places[changes + i.ord], i.run, i.flow, i.version, i.actor, i.key, i.priority, i.parent_run, i.parent_op, i.root,
      i.continued, i.cancel, i.outcome, CASE WHEN i.outcome = 'open' THEN 'ready' ELSE i.outcome END, i.seq, i.hash, i.at,
      i.signals, 0, 0, false, 0, CASE WHEN i.outcome = 'open' THEN {schema}.now_ms() END, i.started, i.ended
    FROM unnest(n_run, n_flow, n_version, n_actor, n_key, n_priority, n_parent_run, n_parent_op, n_root, n_continued,
      n_cancel, n_outcome, n_signals, n_seq, n_hash, n_at, n_started, n_ended) WITH ORDINALITY AS i (run, flow, version, actor,
      key, priority, parent_run, parent_op, root, continued, cancel, outcome, signals, seq, hash, at, started, ended, ord)
    WHERE places[changes + i.ord] > 0;
    RETURN QUERY
      SELECT (changes + i.ord)::integer, 'exists', NULL::integer, NULL, NULL::bigint, NULL, NULL::integer
      FROM unnest(n_run) WITH ORDINALITY AS i (run, ord) WHERE places[changes + i.ord] = 0;
  END IF;`

// Jumps from priority to priority: each takes one look into the index, however many runs it has. What comes last is null.
const levels = `
  WITH RECURSIVE level (place, flow, version, priority) AS (
    SELECT l.place::integer, l.flow, l.version, (
      SELECT r.priority FROM {schema}.runs AS r
      WHERE r.flow = l.flow AND r.version = l.version AND r.due_at IS NOT NULL ORDER BY r.priority DESC LIMIT 1)
    FROM unnest(of_flows, of_versions) WITH ORDINALITY AS l (flow, version, place)
    UNION ALL
    SELECT l.place, l.flow, l.version, (
      SELECT r.priority FROM {schema}.runs AS r
      WHERE r.flow = l.flow AND r.version = l.version AND r.due_at IS NOT NULL AND r.priority < l.priority
      ORDER BY r.priority DESC LIMIT 1)
    FROM level AS l WHERE l.priority IS NOT NULL)`

const firstOf = (condition: string): string => `(
  SELECT r.due_at FROM {schema}.runs AS r
  WHERE r.flow = l.flow AND r.version = l.version AND r.priority = l.priority AND ${condition}
    AND r.stream <> ALL (passed)
  ORDER BY r.due_at LIMIT 1)`

const manner = 'LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off'

const next = `
CREATE FUNCTION {schema}.next_due(of_flows text[], of_versions integer[], passed bigint[])
RETURNS TABLE (next_place integer, next_priority smallint, next_due_at bigint, next_now_ms bigint)
${manner} AS $body$
BEGIN
  RETURN QUERY ${levels}
  SELECT l.place, l.priority, ${firstOf('r.due_at IS NOT NULL')}, {schema}.now_ms()
  FROM level AS l ORDER BY l.place, l.priority DESC;
END $body$;

CREATE FUNCTION {schema}.next_due_limited(of_flow text, of_version integer, now bigint, passed bigint[], full_keys text[],
  is_full boolean)
RETURNS bigint ${manner} AS $body$
DECLARE
  of_flows text[] := ARRAY[of_flow];
  of_versions integer[] := ARRAY[of_version];
BEGIN
  RETURN (${levels}
  SELECT min(least(
    ${firstOf('r.due_at > now')},
    ${firstOf('NOT is_full AND r.due_at <= now AND (r.key IS NULL OR r.key <> ALL (full_keys))')}))
  FROM level AS l WHERE l.priority IS NOT NULL);
END $body$;
`

/** The column, its index, the function that writes it, and those that tell when runs are due. */
export const priorities = `${runs}${withPriority}${bodyWith(starts)}${next}`

/**
 * Schema 14. Texts may be deleted that an `Erased` names, with their salts, as long as it is the last event of `governance`: whoever erases records it first, in
 * the same transaction. They are of runs that have ended, of `refusals`, or of `governance`, but never a contract. The function of before is
 * replaced, so no table is locked. Whoever erases needs the right to delete from `event_data`, and no other that a worker has not.
 */
export const erasing = `
CREATE FUNCTION {schema}.is_erased(of_stream bigint, of_seq integer) RETURNS boolean LANGUAGE sql VOLATILE AS $body$
  SELECT EXISTS (
    SELECT 1 FROM {schema}.events AS e JOIN {schema}.streams AS s ON s.no = e.stream
    CROSS JOIN LATERAL (
      SELECT g.kind, g.body FROM {schema}.events AS g
      WHERE g.stream = (SELECT o.no FROM {schema}.streams AS o WHERE o.name = 'governance') ORDER BY g.seq DESC LIMIT 1) AS g
    CROSS JOIN LATERAL json_array_elements(
      CASE g.kind WHEN 'Erased' THEN g.body::json -> 'texts' ELSE '[]'::json END) AS t (text)
    WHERE e.stream = of_stream AND e.seq = of_seq AND s.name = t.text ->> 'stream'
      AND e.seq BETWEEN (t.text ->> 'from')::bigint AND (t.text ->> 'to')::bigint
      AND CASE s.name WHEN 'refusals' THEN true
        WHEN 'governance' THEN e.kind NOT IN ('ContractProposed', 'ContractActivated')
        ELSE s.name LIKE 'run/%' AND (SELECT l.kind FROM {schema}.events AS l WHERE l.stream = e.stream ORDER BY l.seq DESC LIMIT 1)
          IN ('FlowCompleted', 'FlowFailed', 'FlowCancelled', 'FlowContinued') END)
$body$;

CREATE OR REPLACE FUNCTION {schema}.refuse_unless_purged() RETURNS trigger LANGUAGE plpgsql AS $body$
BEGIN
  IF EXISTS (SELECT 1 FROM {schema}.purged AS p WHERE p.stream = OLD.stream) THEN RETURN OLD; END IF;
  IF TG_TABLE_NAME = 'event_data' AND {schema}.is_erased(OLD.stream, OLD.seq) THEN RETURN OLD; END IF;
  RAISE EXCEPTION 'events are append-only: DELETE of % refused', TG_TABLE_NAME;
END $body$;
`

/**
 * Schema 9. `approvals` has a row for each approval that a run has asked for, by its op: what the last request says, how many votes
 * count, and what it came to. `more_roles` are those that it was escalated to. That a run has ended is said by its row alone, which is
 * joined.
 *
 * `keep_approvals(…)` does what events say of approvals, one after the other; `places` are streams, 0 where nothing was written, and
 * `a_ord` by which place in them each belongs to. A change with `a_begun`, an object of JSON, is a request; `a_more` is an array of JSON.
 */
export const approvals = `
CREATE TABLE {schema}.approvals (
  stream bigint NOT NULL,
  run text COLLATE "C" NOT NULL,
  op text COLLATE "C" NOT NULL,
  name text NOT NULL,
  action text,
  roles text[] NOT NULL,
  more_roles text[] NOT NULL,
  quorum integer NOT NULL,
  votes integer NOT NULL,
  requested_at bigint NOT NULL,
  deadline bigint,
  escalates_at bigint,
  status text NOT NULL,
  shown text NOT NULL,
  PRIMARY KEY (stream, op)
);

CREATE INDEX approvals_open ON {schema}.approvals (requested_at, run, op) WHERE status = 'open';
CREATE INDEX approvals_all ON {schema}.approvals (requested_at, run, op);

CREATE FUNCTION {schema}.keep_approvals(
  places bigint[], a_ord integer[], a_op text[], a_begun text[], a_votes integer[], a_more text[], a_status text[])
RETURNS void LANGUAGE plpgsql VOLATILE SET plan_cache_mode = force_generic_plan SET enable_seqscan = off AS $body$
DECLARE
  place bigint;
  begun json;
BEGIN
  FOR i IN 1 .. cardinality(a_ord) LOOP
    place := places[a_ord[i]];
    begun := a_begun[i]::json;
    CONTINUE WHEN place = 0;
    IF begun IS NULL THEN
      UPDATE {schema}.approvals AS a SET votes = a.votes + a_votes[i], status = coalesce(a_status[i], a.status),
        more_roles = CASE WHEN a_more[i] IS NULL THEN a.more_roles
          ELSE ARRAY(SELECT json_array_elements_text(a_more[i]::json)) END,
        escalates_at = CASE WHEN a_more[i] IS NULL THEN a.escalates_at END
      WHERE a.stream = place AND a.op = a_op[i];
    ELSE
      DELETE FROM {schema}.approvals AS a WHERE a.stream = place AND a.op = a_op[i];
      INSERT INTO {schema}.approvals (stream, run, op, name, action, roles, more_roles, quorum, votes, requested_at, deadline,
        escalates_at, status, shown)
      SELECT place, substr(s.name, 5), a_op[i], begun ->> 'name', begun ->> 'action',
        ARRAY(SELECT json_array_elements_text(begun -> 'roles')), '{}', (begun ->> 'quorum')::integer, 0,
        (begun ->> 'requestedAtMs')::bigint, (begun ->> 'deadlineMs')::bigint, (begun ->> 'escalatesAtMs')::bigint, 'open',
        begun ->> 'shown'
      FROM {schema}.streams AS s WHERE s.no = place;
    END IF;
  END LOOP;
END $body$;
`

/**
 * Schema 4. Who is alive, and who holds what since when:
 *
 * - `workers` has a row for each worker that announced itself: its note as JSON, when it did so first and last, and until when it
 *   is taken to be alive. It is a courtesy: whether a run may be taken is decided by its row alone. Whoever may do something
 *   with `runs` may do the same with it, so that an update needs no new rights.
 * - `runs.held_by` is the id of the worker that claimed the run, `held_since` when. Both are true only of the claim whose epoch
 *   is `held_epoch`: a version before claims without them.
 */
export const workers = `
CREATE TABLE {schema}.workers (
  id text COLLATE "C" PRIMARY KEY,
  since bigint NOT NULL,
  announced_at bigint NOT NULL,
  alive_until bigint NOT NULL,
  note text NOT NULL
);

ALTER TABLE {schema}.runs ADD COLUMN held_epoch integer, ADD COLUMN held_by text, ADD COLUMN held_since bigint;

DO $body$
DECLARE
  one record;
BEGIN
  FOR one IN
    SELECT a.grantee, a.privilege_type
    FROM pg_catalog.pg_class AS c, LATERAL pg_catalog.aclexplode(c.relacl) AS a
    WHERE c.oid = $name\${schema}.runs$name$::regclass AND a.grantee <> c.relowner
      AND a.privilege_type IN ('SELECT', 'INSERT', 'UPDATE', 'DELETE')
  LOOP
    EXECUTE 'GRANT ' || one.privilege_type || ' ON ' || $name\${schema}.workers$name$ || ' TO '
      || CASE WHEN one.grantee = 0 THEN 'PUBLIC' ELSE quote_ident(pg_catalog.pg_get_userbyid(one.grantee)) END;
  END LOOP;
END $body$;
`

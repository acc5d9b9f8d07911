/**
 * Schema 5. `marks` has a row for each term of the database: a stretch in which one server served it, or that began when an operator
 * accepted the database as it was. Whoever works counts `pulse` up now and then and keeps the number elsewhere.
 *
 * `server()` is who serves it now: the timeline, which every promotion and every recovery to a point in time changes, and the start of
 * the server. It refuses where writes are refused, so that nobody compares himself with a standby. `pulse()` counts one up, or
 * begins a term for a server that has none. Of two that begin one at once the second does nothing: the first began after it had
 * looked.
 */
export const mark = `
CREATE TABLE {schema}.marks (
  no integer PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  server text COLLATE "C" NOT NULL,
  pulse bigint NOT NULL,
  at bigint NOT NULL,
  accepted boolean NOT NULL,
  held text
) WITH (fillfactor = 50);

INSERT INTO {schema}.marks (no, id, server, pulse, at, accepted)
VALUES (1, gen_random_uuid(), '', 0, {schema}.now_ms(), false);

CREATE FUNCTION {schema}.server() RETURNS text LANGUAGE plpgsql VOLATILE AS $body$
BEGIN
  IF pg_is_in_recovery() THEN
    RAISE EXCEPTION 'the server is a standby' USING ERRCODE = 'read_only_sql_transaction';
  END IF;
  RETURN substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) || '/' || extract(epoch FROM pg_postmaster_start_time())::numeric;
END $body$;

CREATE FUNCTION {schema}.pulse() RETURNS void LANGUAGE plpgsql SET lock_timeout = '10s' AS $body$
DECLARE
  now_serving text := {schema}.server();
  last {schema}.marks;
BEGIN
  SELECT * INTO STRICT last FROM {schema}.marks AS m ORDER BY m.no DESC LIMIT 1 FOR NO KEY UPDATE;
  IF last.server = now_serving THEN
    UPDATE {schema}.marks AS m SET pulse = m.pulse + 1, at = greatest(m.at, {schema}.now_ms()) WHERE m.no = last.no;
  ELSE
    INSERT INTO {schema}.marks (no, id, server, pulse, at, accepted)
    VALUES (last.no + 1, gen_random_uuid(), now_serving, 0, greatest(last.at, {schema}.now_ms()), false)
    ON CONFLICT DO NOTHING;
  END IF;
END $body$;
`

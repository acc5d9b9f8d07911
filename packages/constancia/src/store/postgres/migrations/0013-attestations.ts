/**
 * Schema 13. What others said of checkpoints after they were made: cosignatures of witnesses, tokens of time-stamping authorities. Each of them
 * says it once of a checkpoint, and it stays as it was said. Older versions know nothing of it.
 */
export const attestations = `
CREATE TABLE {schema}.log_attestations (
  size bigint NOT NULL,
  kind text COLLATE "C" NOT NULL,
  said_by text COLLATE "C" NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (size, kind, said_by)
);

CREATE TRIGGER attestations_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON {schema}.log_attestations
FOR EACH STATEMENT EXECUTE FUNCTION {schema}.refuse_in_log();
ALTER TABLE {schema}.log_attestations ENABLE ALWAYS TRIGGER attestations_no_change;
`

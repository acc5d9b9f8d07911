/**
 * Schema 10. What others said of checkpoints after they were made: cosignatures of witnesses, tokens of time-stamping authorities. Each of them
 * says it once of a checkpoint, and it stays as it was said.
 */
export const attestations = `
CREATE TABLE log_attestations (
  size INTEGER NOT NULL,
  kind TEXT NOT NULL,
  said_by TEXT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (size, kind, said_by)
) STRICT;

CREATE TRIGGER log_attestations_no_update BEFORE UPDATE ON log_attestations
BEGIN SELECT RAISE(FAIL, 'the log is append-only: UPDATE of attestations refused'); END;

CREATE TRIGGER log_attestations_no_delete BEFORE DELETE ON log_attestations
BEGIN SELECT RAISE(FAIL, 'the log is append-only: DELETE of attestations refused'); END;

CREATE TRIGGER log_attestations_no_replace BEFORE INSERT ON log_attestations
WHEN EXISTS (SELECT 1 FROM log_attestations WHERE size = NEW.size AND kind = NEW.kind AND said_by = NEW.said_by)
BEGIN SELECT RAISE(FAIL, 'the log is append-only: INSERT over an attestation refused'); END;
`

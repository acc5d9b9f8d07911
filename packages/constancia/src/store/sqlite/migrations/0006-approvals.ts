/**
 * Schema 6. `approvals` has a row for each approval that a run has asked for, by its op: what the last request says, how many votes
 * count, and what it came to. `roles` are arrays of JSON, `more_roles` those that it was escalated to. That a run has ended is said by its
 * row alone, which is joined.
 */
export const approvals = `
CREATE TABLE approvals (
  stream INTEGER NOT NULL,
  run TEXT NOT NULL,
  op TEXT NOT NULL,
  name TEXT NOT NULL,
  action TEXT,
  roles TEXT NOT NULL,
  more_roles TEXT NOT NULL,
  quorum INTEGER NOT NULL,
  votes INTEGER NOT NULL,
  requested_at INTEGER NOT NULL,
  deadline INTEGER,
  escalates_at INTEGER,
  status TEXT NOT NULL,
  shown TEXT NOT NULL,
  PRIMARY KEY (stream, op)
) STRICT, WITHOUT ROWID;

CREATE INDEX approvals_open ON approvals (requested_at, run, op) WHERE status = 'open';
CREATE INDEX approvals_all ON approvals (requested_at, run, op);
`

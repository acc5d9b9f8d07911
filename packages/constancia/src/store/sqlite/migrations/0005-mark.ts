/**
 * Schema 5. `marks` has a row for each term of the database: a stretch in which it was the same file, or that began when an operator
 * accepted the database as it was. Whoever works counts `pulse` up now and then and keeps the number elsewhere.
 */
export const mark = `
CREATE TABLE marks (
  no INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  server TEXT NOT NULL,
  pulse INTEGER NOT NULL,
  at INTEGER NOT NULL,
  accepted INTEGER NOT NULL,
  held TEXT
) STRICT;

INSERT INTO marks (no, id, server, pulse, at, accepted)
VALUES (1, lower(hex(randomblob(16))), '', 0, CAST(unixepoch('subsec') * 1000 AS INTEGER), 0);
`

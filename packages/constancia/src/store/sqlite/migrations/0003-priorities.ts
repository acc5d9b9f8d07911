/**
 * Schema 3. Runs have a priority: 0 for those that were there before, whose journals name none. Those that are due are in the
 * order of their priorities, highest first, and then of their times; so are, for each priority, those of each key.
 */
export const priorities = `
ALTER TABLE runs ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;

DROP INDEX runs_due;
DROP INDEX runs_due_keyed;
DROP INDEX runs_due_key;
CREATE INDEX runs_due ON runs (flow, version, priority DESC, due_at) WHERE due_at IS NOT NULL AND key IS NULL;
CREATE INDEX runs_due_keyed ON runs (flow, version, priority DESC, due_at, stream, key)
  WHERE due_at IS NOT NULL AND key IS NOT NULL;
CREATE INDEX runs_due_key ON runs (flow, version, priority DESC, key, due_at) WHERE due_at IS NOT NULL AND key IS NOT NULL;
`

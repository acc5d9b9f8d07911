/**
 * Schema 9. Whether the outbox asks a run to end is looked up whenever a child is started: few entries do, and only those are in this
 * index.
 */
export const wishes = `
CREATE INDEX outbox_wishes ON outbox (target) WHERE kind = 'cancel';
`

/**
 * Schema 12. Whether the outbox asks a run to end is looked up whenever a child is started: few entries do, and only those are in this
 * index. Older versions start children without that look, as they did.
 */
export const wishes = `
CREATE INDEX outbox_wishes ON {schema}.outbox (target) WHERE kind = 'cancel';
`

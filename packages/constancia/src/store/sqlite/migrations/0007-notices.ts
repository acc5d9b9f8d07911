/**
 * Schema 7. Entries of the outbox may be notices for those who started runs (`notice`): nobody may have delivered them for long, and who looks for
 * what runs tell each other must not read past all of them.
 */
export const notices = `
CREATE INDEX outbox_runs ON outbox (id) WHERE kind <> 'notice';
CREATE INDEX outbox_notices ON outbox (id) WHERE kind = 'notice';
`

/**
 * Schema 10. Entries of the outbox may be notices for those who started runs (`notice`): nobody may have delivered them for long, and who looks for
 * what runs tell each other must not read past all of them. Older versions list both, and leave notices where they are; they purge no run that
 * has some.
 */
export const notices = `
CREATE INDEX outbox_runs ON {schema}.outbox (id) WHERE kind <> 'notice';
CREATE INDEX outbox_notices ON {schema}.outbox (id) WHERE kind = 'notice';
`

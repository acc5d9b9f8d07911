import type pg from 'pg'

/** What a worker needs and no more, as docs/postgresql.md lists it; `purge` besides takes DELETE of events. */
export function grantsOf(schema: string, role: string): string {
  const s = `"${schema}"`
  return `
    GRANT USAGE ON SCHEMA ${s} TO ${role};
    GRANT SELECT ON ALL TABLES IN SCHEMA ${s} TO ${role};
    GRANT INSERT ON ${s}.streams, ${s}.events, ${s}.event_data, ${s}.limits TO ${role};
    GRANT UPDATE ON ${s}.limits TO ${role};
    GRANT INSERT, UPDATE ON ${s}.marks TO ${role};
    GRANT INSERT ON ${s}.log_leaves, ${s}.log_checkpoints, ${s}.log_tiles, ${s}.log_attestations TO ${role};
    GRANT UPDATE ON ${s}.log, ${s}.log_tiles TO ${role};
    GRANT DELETE ON ${s}.log_owed TO ${role};
    GRANT INSERT, UPDATE, DELETE ON ${s}.runs, ${s}.inbox, ${s}.outbox, ${s}.workers, ${s}.approvals TO ${role};`
}

/** Makes a role that may log in, and returns the address under which it does. */
export async function makeRole(raw: pg.Client, url: string, role: string): Promise<string> {
  await raw.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`)
  const address = new URL(url)
  address.username = role
  address.password = 'secret'
  return address.href
}

/** Deletes a role and what it was given. */
export async function dropRole(raw: pg.Client, role: string): Promise<void> {
  await raw.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`)
}

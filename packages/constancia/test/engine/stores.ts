/** Where journals of tests are. */
export type StoreName = 'memory' | 'SQLite' | 'PostgreSQL'

/**
 * The stores on which tests of the engine, of schedules and of crashes run: memory and SQLite, in a campaign PostgreSQL too; or
 * those that `CONSTANCIA_TEST_STORES` names, with commas between.
 */
export function storesFor(environment: Readonly<Record<string, string | undefined>>): readonly StoreName[] {
  const usual = environment['CONSTANCIA_CAMPAIGN'] === '1' ? 'memory,SQLite,PostgreSQL' : 'memory,SQLite'
  return (environment['CONSTANCIA_TEST_STORES'] ?? usual).split(',') as StoreName[]
}

/** The stores of this run. What runs on PostgreSQL in CI as well, `postgres/engine.test.ts` and `postgres/crash.test.ts` say. */
export const stores = storesFor(process.env)

import { isCampaign } from '../processes/campaign.js'

/** Where journals of tests are. */
export type StoreName = 'memory' | 'SQLite' | 'PostgreSQL'

const usual = isCampaign ? 'memory,SQLite,PostgreSQL' : 'memory,SQLite'

/**
 * The stores on which tests of the engine, of schedules and of crashes run: memory and SQLite, in a campaign PostgreSQL too; or
 * those that `CONSTANCIA_TEST_STORES` names, with commas between. What of it runs on PostgreSQL in CI as well, `postgres/engine.test.ts` says.
 */
export const stores = (process.env['CONSTANCIA_TEST_STORES'] ?? usual).split(',') as readonly StoreName[]

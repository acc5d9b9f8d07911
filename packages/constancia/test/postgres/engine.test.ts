/**
 * Tests of the engine, on PostgreSQL: those files in which most of the store's promises are needed. All of them run there in a
 * campaign (`engine/stores.ts`), or with `CONSTANCIA_TEST_STORES=PostgreSQL npx vitest run packages/constancia/test/engine`.
 */
process.env['CONSTANCIA_TEST_STORES'] = 'PostgreSQL'

await import('../engine/cancellation.test.js')
await import('../engine/children.test.js')
await import('../engine/continuing.test.js')
await import('../engine/outbox.test.js')
await import('../engine/resuming.test.js')
await import('../engine/signals.test.js')
await import('../engine/timers.test.js')
await import('../governance/skew.test.js')

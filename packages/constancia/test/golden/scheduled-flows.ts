/** The run of a schedule. Each run that it starts is an effect at a destination that knows ids again. */
import { flow, schedule } from '../../dist/index.js'
import { Ledger, scheduleFlow } from '../../dist/testing/index.js'
import type { Golden } from './effects.js'

const started = new Ledger()

const nothing = flow({ name: 'nothing', version: 1, run: async () => undefined })

const declared = (cron: string) =>
  schedule({ name: 'nightly', cron, timeZone: 'Europe/Madrid', flow: nothing, input: { of: cron }, missed: 'all' }).spec

/** It is due once, is declared anew, goes on as another run, and is due twice more. */
export const scheduled: Golden = {
  flow: scheduleFlow({
    name: 'nightly',
    start: async ({ id, input }) => void started.receive(id, input),
    dueCountMax: 2,
    eventCountMax: 8,
  }),
  input: { schedule: 'nightly' },
  destination: started,
  signals: [
    { name: 'declared', payload: declared('0 2 * * *'), afterEvents: 1 },
    { name: 'declared', payload: declared('30 2 * * *'), afterEvents: 6 },
  ],
  downtimeMs: 0, // What is missed is started late, and the journal tells.
  everyNthPair: 4,
  gives: Date.UTC(2026, 0, 2, 1, 30),
}

import { flow, schedule } from 'constancia'
import { type CrashReport, crashTest, Ledger, type ScheduleFlowOptions, scheduleFlow } from 'constancia/testing'
import { expect, it } from 'vitest'
import { type StoreName, stores } from '../engine/stores.js'
import { diskOf } from '../golden/suite.js'

const nothing = flow({ name: 'nothing', version: 1, run: async () => undefined })

const declared = (cron: string): { readonly name: string; readonly payload: unknown } => ({
  name: 'declared',
  payload: schedule({ name: 'tested', cron, timeZone: 'Europe/Madrid', flow: nothing, input: { of: cron } }).spec,
})

interface Trial {
  readonly crons: readonly string[]
  readonly store: StoreName
  readonly flow: Partial<ScheduleFlowOptions>
}

/** Crashes a schedule at every place. Every run that it starts is an effect at a destination that knows ids again. */
async function crash(trial: Trial): Promise<{ readonly report: CrashReport; readonly started: readonly string[] }> {
  const ledger = new Ledger()
  const started: string[] = []
  const kept = scheduleFlow({
    name: 'tested',
    start: async ({ id, input }) => {
      started.push(id)
      ledger.receive(id, input)
    },
    ...trial.flow,
  })
  const { crons, store } = trial
  const signals = crons.map(declared)
  const what = { flow: kept, input: { schedule: 'tested' }, signals, destination: ledger }
  const report = await crashTest({ ...what, store: diskOf[store], patienceMs: 20 })
  return { report, started }
}

it.each(stores.map((store) => [store, store === 'memory' ? 3 : 1] as const))(
  'R-A7 C18 a schedule that crashes at any place starts the runs of the one that did not, on %s',
  async (store, dueCountMax) => {
    const { report, started } = await crash({ crons: ['*/30 * * * *'], store, flow: { dueCountMax } })
    expect(report.triedCount).toBeGreaterThan(10)
    const moments = ['00:30', '01:00', '01:30'].slice(0, dueCountMax)
    expect([...new Set(started)]).toEqual(moments.map((moment) => `tested:2026-01-01T${moment}:00Z`))
    expect(started.length).toBeGreaterThan(2 * dueCountMax) // A start whose answer was lost was made again, with the same id.
  },
  600_000,
)

it('R-A7 a schedule that is declared anew, and goes on as another run, survives a crash at any place', async () => {
  const flowOptions = { dueCountMax: 2, eventCountMax: 6 }
  const trial = { crons: ['*/30 * * * *', '*/20 * * * *'], store: 'memory', flow: flowOptions } as const
  const { report, started } = await crash(trial)
  expect(report.triedCount).toBeGreaterThan(20)
  // Once before it goes on as another run, twice after.
  expect([...new Set(started)]).toEqual(['00:20', '00:40', '01:00'].map((moment) => `tested:2026-01-01T${moment}:00Z`))
}, 600_000)

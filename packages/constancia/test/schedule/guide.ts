import { defineConfig, flow, minutes, open, schedule } from 'constancia'
import { sqlite } from 'constancia/sqlite'

/** What the guide to schedules shows, as it stands there. */
export async function declaredInCode(file: string): Promise<{ readonly next: string; readonly schedules: string[] }> {
  const report = flow({
    name: 'report',
    version: 1,
    run: async (_ctx, input: { readonly region: string }) => input.region,
  })
  // <guide>
  const nightly = schedule({
    name: 'nightly-report',
    cron: '30 2 * * *',
    timeZone: 'Europe/Madrid',
    flow: report,
    input: { region: 'south' },
    missed: 'latest', // or 'skip', or 'all'
  })

  const app = await open({ store: sqlite({ file }), flows: [report], schedules: [nightly] })
  // </guide>
  try {
    // <guide>
    const nextMs = nightly.nextAfter(Date.parse('2026-03-28T12:00:00Z'))
    const rows = await app.runs({ idPrefix: 'schedule:' })
    // </guide>
    return { next: new Date(nextMs ?? 0).toISOString(), schedules: rows.items.map(({ id }) => id) }
  } finally {
    await app.close()
  }
}

/** The configuration that the guide shows. */
export function configured(): unknown {
  const report = flow({ name: 'report', version: 1, run: async () => undefined })
  // <guide>
  const config = defineConfig({
    store: sqlite({ file: 'app.db' }),
    flows: [report],
    schedules: [
      schedule({
        name: 'half-hourly',
        cron: '*/30 * * * *',
        timeZone: 'UTC',
        flow: report,
        input: null,
        missed: 'all',
        missedMax: 20, // the latest 20 of them
        lateMs: minutes(5), // what is started within 5 minutes is not missed
        actor: 'reporting',
      }),
    ],
  })
  // </guide>
  return config
}

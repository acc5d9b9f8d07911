import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Whether the numbers of a long run are asked for instead of those of CI. */
export const isCampaign = process.env['CONSTANCIA_CAMPAIGN'] === '1'

/** How long a test may take that kills or stops so many processes, in milliseconds: slow machines are no failures. */
export const limitMs = isCampaign ? 4 * 3_600_000 : 1_800_000

/** Shows what was tried and, in a campaign, keeps it beside the other results. */
export function keep(name: string, report: { table(): string }): void {
  const table = report.table()
  console.log(table)
  const folder = process.env['CONSTANCIA_CAMPAIGN_RESULTS']
  if (isCampaign && folder !== undefined) writeFileSync(join(folder, `${name}.txt`), `${table}\n`)
}

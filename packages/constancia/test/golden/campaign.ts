import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Whether the numbers of a long run are asked for instead of those of CI. */
export const isCampaign = process.env['CONSTANCIA_CAMPAIGN'] === '1'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** Keeps the results of a campaign beside the code that it was about; does nothing in CI. */
export function keepResults(name: string, lines: readonly string[]): void {
  if (!isCampaign) return
  const folder = process.env['CONSTANCIA_CAMPAIGN_RESULTS'] ?? join(root, 'docs', 'campaign')
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%H, %cI'], { cwd: root, encoding: 'utf8' })
  const commit = stdout?.trim() || 'unknown' // An archive of the sources has none.
  const head = [
    `# ${name}`,
    '',
    `Commit ${commit}. Node.js ${process.versions.node}, ${process.platform} ${process.arch}.`,
    '',
  ]
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, `${name}.md`), `${[...head, ...lines].join('\n')}\n`)
}

/**
 * `npm run campaign`: the tests with the numbers of a long run instead of those of CI (CONSTANCIA_CAMPAIGN=1). Arguments go
 * to vitest. What was run, and how it ended, is kept in docs/campaign/.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildOrExit, install, root } from './prepare.mjs'
import { run, say } from './terminal.mjs'
import { countsLine, runTests } from './vitest.mjs'

await install()
await buildOrExit()

const startMs = Date.now()
const args = process.argv.slice(2)
const results = join(root, 'docs', 'campaign')
mkdirSync(results, { recursive: true })
const { code, files, ...counts } = await runTests(['--testTimeout=3600000', '--hookTimeout=3600000', ...args], {
  CONSTANCIA_CAMPAIGN: '1',
  CONSTANCIA_CAMPAIGN_RESULTS: results,
})

const { output: commit } = await run('git', ['rev-parse', 'HEAD'], { cwd: root })
const path = join(results, `${new Date(startMs).toISOString().replaceAll(':', '').slice(0, 15)}.md`)
writeFileSync(path, report())
say(`Written to ${path}`)
say(countsLine(counts))
process.exitCode = code

function report() {
  const seconds = Math.round((Date.now() - startMs) / 1000)
  const rows = files.flatMap(({ tests }) => tests).filter(({ state }) => state !== 'skipped')
  return [
    `# Campaign of ${new Date(startMs).toISOString()}`,
    '',
    `Commit ${commit.trim()}, Node.js ${process.versions.node}, ${process.platform} ${process.arch}, ${seconds} s, arguments: ${args.join(' ') || 'none'}.`,
    '',
    `${countsLine(counts)}.`,
    '',
    '| test | outcome | seconds |',
    '|---|---|---|',
    ...rows.map(({ name, state, durationMs }) => `| ${cell(name)} | ${state} | ${(durationMs / 1000).toFixed(1)} |`),
    '',
  ].join('\n')
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}

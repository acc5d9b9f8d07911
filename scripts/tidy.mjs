/** `npm run tidy`: checks the tree by the rules in scripts/tidy/rules.mjs. `--update` rewrites the lists of public names. */
import { root } from './prepare.mjs'
import { say } from './terminal.mjs'
import { format, tidy } from './tidy/index.mjs'

const { violations, fileCount } = tidy(root, { update: process.argv.includes('--update') })
for (const found of violations) say(format(found))
if (violations.length > 0) say(`\n${violations.length} to tidy in ${fileCount} files.`)
else say(`${fileCount} files are tidy.`)
process.exitCode = violations.length > 0 ? 1 : 0

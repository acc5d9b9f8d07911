import { build, checkNode } from './prepare.mjs'

checkNode()
process.exitCode = (await build()) ? 0 : 1

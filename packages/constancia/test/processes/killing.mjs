// @ts-check
// Runs a kill test without an end, until somebody ends it. Argument: a folder.
import { killTest } from 'constancia/testing'

const flows = new URL('./bad-flows.mjs', import.meta.url)
await killTest({ flows, starts: [{ flow: 'endless', input: null }], kills: 1_000, folder: process.argv[2] ?? '' })

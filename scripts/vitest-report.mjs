/** A reporter for vitest that writes what happened as JSON to the file named by CONSTANCIA_REPORT, and prints nothing. */
import { writeFileSync } from 'node:fs'

/** One object for each test file: `path`, its own `errors`, and its `tests` with name, state and milliseconds. */
export default class Report {
  onTestRunEnd(modules, unhandled) {
    const files = modules.map(describeFile)
    writeFileSync(process.env.CONSTANCIA_REPORT, JSON.stringify({ files, unhandledCount: unhandled.length }))
  }
}

function describeFile(module) {
  const tests = [...module.children.allTests()].map((test) => ({
    name: test.fullName.replaceAll(' > ', ' '),
    state: test.result().state,
    durationMs: test.diagnostic()?.duration ?? 0,
  }))
  return { path: module.relativeModuleId, failed: module.state() === 'failed', tests }
}

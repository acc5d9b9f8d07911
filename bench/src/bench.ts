import { parseArgs } from 'node:util'
import type { Chapter, Measuring } from './chapter.js'
import { measureFleet } from './fleet/measures.js'
import { describeMachine } from './machine.js'
import { measureMany, measureParked } from './many/measures.js'
import { measureSteps } from './measures.js'
import { writePage } from './page.js'
import { Place } from './place.js'
import { machineLine, type Report, reportOf, roundsLine, tableText } from './report.js'
import { measureSealing } from './sealing/measures.js'
import { measureVerifying } from './verifying/measures.js'

const chapters: ReadonlyMap<string, (measuring: Measuring) => Promise<Chapter>> = new Map([
  ['steps', measureSteps],
  ['parked', measureParked],
  ['many', measureMany],
  ['sealing', measureSealing],
  ['verifying', measureVerifying],
  ['postgres', measureFleet],
])

const usage = `npm run bench -- [options]

  --only PART  measure this part alone; may be given several times: ${[...chapters.keys()].join(', ')}
  --quick      a few steps of everything, to see that it works
  --json       print the report as JSON
  --write      write docs/benchmarks.md
`

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true, default: [] },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const wrong = values.only.find((part) => !chapters.has(part))
if (values.help) console.log(usage)
else if (wrong !== undefined) refuse(`There is no part ${wrong}.`)
else if (values.write && values.only.length > 0)
  refuse('The page holds every part: --write and --only exclude each other.')
else await bench()

function refuse(reason: string): void {
  console.error(`${reason} Nothing was measured.\n\n${usage}`)
  process.exitCode = 2
}

// A target that is missed is a finding, not an error: only what could not be measured ends with a code.
async function bench(): Promise<void> {
  const place = new Place()
  try {
    const report = await run(place)
    console.log(values.json ? JSON.stringify(report, undefined, 2) : text(report))
    if (values.write) console.error(`Wrote ${writePage(report)}.`)
  } finally {
    place.remove()
  }
}

async function run(place: Place): Promise<Report> {
  const sinceMs = performance.now()
  const tell = (what: string): void => {
    const seconds = Math.round((performance.now() - sinceMs) / 1000)
    if (!values.json) console.error(`${String(seconds).padStart(5)} s  ${what}`)
  }
  const machine = await describeMachine(place, values.quick ? 20 : 300)
  const found: Chapter[] = []
  for (const [part, measure] of chapters) {
    if (values.only.length > 0 && !values.only.includes(part)) continue
    found.push(await measure({ place, isQuick: values.quick, tell }))
  }
  return reportOf(machine, found)
}

function text(report: Report): string {
  return `${machineLine(report)}\n${roundsLine(report)}\n\n${tableText(report)}`
}

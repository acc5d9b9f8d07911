import { parseArgs } from 'node:util'
import { fullFleetSizes, measureFleet, quickFleetSizes } from './fleet/measures.js'
import { describeMachine } from './machine.js'
import { fullManySizes, measureMany, quickManySizes } from './many/measures.js'
import { fullSizes, measure, quickSizes } from './measures.js'
import { writePage } from './page.js'
import { Place } from './place.js'
import { machineLine, type Report, reportOf, roundsLine, tableText } from './report.js'

const usage = `npm run bench -- [options]

  --quick   a few steps of everything, to see that it works
  --json    print the report as JSON
  --write   write docs/benchmarks.md
`

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(usage)
else await bench()

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
  const sizes = values.quick ? quickSizes : fullSizes
  const manySizes = values.quick ? quickManySizes : fullManySizes
  if (!values.json) console.error('Measuring; some minutes.')
  const machine = await describeMachine(place)
  const samples = await measure(place, sizes)
  const manySamples = await measureMany(place, manySizes)
  const fleetSizes = values.quick ? quickFleetSizes : fullFleetSizes
  const fleetSamples = await measureFleet(place, fleetSizes)
  return reportOf({ machine, sizes, samples, manySizes, manySamples, fleetSizes, fleetSamples })
}

function text(report: Report): string {
  return `${machineLine(report)}\n${roundsLine(report)}\n\n${tableText(report)}`
}

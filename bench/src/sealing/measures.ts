import type { Chapter, Measuring } from '../chapter.js'
import { apart } from '../many/apart.js'
import type { Worked } from '../many/orders.js'
import { withTarget } from '../row.js'
import { spreadOf } from '../samples.js'

interface SealingSizes {
  /** Pairs of a process that seals and one that does not, in turns first and second. */
  readonly pairs: number
  readonly runs: number
  readonly steps: number
}

// Some twenty seconds of work each, so that it is sealed more than once.
const fullSizes: SealingSizes = { pairs: 6, runs: 4_000, steps: 40 }
const quickSizes: SealingSizes = { pairs: 1, runs: 20, steps: 5 }

/** Measures what sealing adds to the processor's time of the same work. */
export async function measureSealing({ place, isQuick, tell }: Measuring): Promise<Chapter> {
  const { pairs, runs, steps } = isQuick ? quickSizes : fullSizes
  const work = async (isSealed: boolean): Promise<Worked> => {
    const file = place.file()
    try {
      return await apart({ kind: 'seal', file, runs, steps, isSealed })
    } finally {
      place.drop(file)
    }
  }
  const sealedMs: number[] = []
  const bareMs: number[] = []
  let checkpointCount = 0
  for (let pair = 0; pair < pairs; pair += 1) {
    for (const isSealed of pair % 2 === 0 ? [true, false] : [false, true]) {
      const worked = await work(isSealed)
      checkpointCount += worked.checkpointCount
      ;(isSealed ? sealedMs : bareMs).push(worked.cpuMs)
    }
    tell(`sealing: pair ${pair + 1} of ${pairs}`)
  }
  const each = (checkpointCount / pairs).toFixed(1)
  const row = {
    id: 'sealing',
    what: `${(runs * steps).toLocaleString('en-US')} steps in ${runs.toLocaleString('en-US')} runs, sealed ${each} times; processor's time against the same unsealed`,
    unit: 'ms',
    constancia: spreadOf(sealedMs),
    bare: spreadOf(bareMs),
    ratio: spreadOf(sealedMs.map((ms, index) => ms / (bareMs[index] ?? Number.NaN))),
  }
  return { rows: [withTarget(row, '<', 1.03)], rounds: `Pairs of sealed and unsealed work: ${pairs}.` }
}

import type { Chapter, Measuring } from '../chapter.js'
import { Apart } from '../many/apart.js'
import type { Worked } from '../many/orders.js'
import { withTarget } from '../row.js'
import { spreadOf } from '../samples.js'

interface SealingSizes {
  readonly rounds: number
  /** In each round. */
  readonly runs: number
  readonly steps: number
}

// Some twenty seconds each, so that it is sealed a few times.
const fullSizes: SealingSizes = { rounds: 8, runs: 4_000, steps: 40 }
const quickSizes: SealingSizes = { rounds: 1, runs: 20, steps: 5 }

/**
 * Measures what sealing adds to the processor's time of the same work. One process that seals and one that does not work at the
 * same time, so that whatever else the machine does meets both: in turns they differ by ten times what is looked for.
 */
export async function measureSealing({ place, isQuick, tell }: Measuring): Promise<Chapter> {
  const { rounds, runs, steps } = isQuick ? quickSizes : fullSizes
  const files = [place.file(), place.file()] as const
  const [sealing, bare] = [true, false].map(
    (isSealed) => new Apart<Worked>({ kind: 'seal', file: files[isSealed ? 0 : 1], runs, steps, isSealed }),
  ) as [Apart<Worked>, Apart<Worked>]
  let sealed = await sealing.next()
  let unsealed = await bare.next()
  const samples: { readonly sealedMs: number; readonly bareMs: number }[] = []
  for (let round = 0; round < rounds; round += 1) {
    const [sealedBefore, unsealedBefore] = [sealed, unsealed]
    ;[sealed, unsealed] = await Promise.all([turnOf(sealing), turnOf(bare)])
    samples.push({ sealedMs: sealed.cpuMs - sealedBefore.cpuMs, bareMs: unsealed.cpuMs - unsealedBefore.cpuMs })
    tell(`sealing: round ${round + 1} of ${rounds}`)
  }
  await Promise.all([sealing.end(), bare.end()])
  for (const file of files) place.drop(file)
  const each = (sealed.checkpointCount / rounds).toFixed(1)
  const row = {
    id: 'sealing',
    what: `${(runs * steps).toLocaleString('en-US')} steps in ${runs.toLocaleString('en-US')} runs, sealed ${each} times; processor's time against the same unsealed`,
    unit: 'ms',
    constancia: spreadOf(samples.map(({ sealedMs }) => sealedMs)),
    bare: spreadOf(samples.map(({ bareMs }) => bareMs)),
    ratio: spreadOf(samples.map(({ sealedMs, bareMs }) => sealedMs / bareMs)),
  }
  return {
    rows: [withTarget(row, '<', 1.03)],
    rounds: `Rounds of sealed and unsealed work: ${rounds}, both at once.`,
  }
}

function turnOf(process: Apart<Worked>): Promise<Worked> {
  process.go()
  return process.next()
}

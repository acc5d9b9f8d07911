import type { CheckName } from '../../../dist/index.js'
import { journals, logOf } from '../journal.js'
import { type Draft, type Given, type Log, type LogEvent, without, written } from '../log.js'
import { type Case, caseOf, type Expected, runsOf, threeRuns } from './case.js'

/** Files in which data is said to be erased: by a governed event that names it, and otherwise. */
export async function erasedCases(): Promise<Case[]> {
  const cases: Case[] = []
  for (const [name, one] of Object.entries({ ...honest, ...wrong, ...unknown })) cases.push(await caseFrom(name, one))
  return [...cases, ...(await governedOnes())]
}

/** What a case is made of: what `Erased` says and how it is recorded, and whose data is said to be erased. */
interface Erasing {
  readonly bodies?: readonly string[]
  readonly given?: Given
  /** Places of the run `b` whose data the file says was erased; all of them unless set. */
  readonly places?: readonly number[]
  /** Of `governance`: the reason of the last grant. */
  readonly reason?: true
  readonly change?: (draft: Draft) => void
  readonly expected?: Expected
}

const law: Expected = { verdict: 'forged', check: 'law' }

/** The body of an event that erased these ranges. */
export function erasedBody(...texts: readonly (readonly [stream: string, from: number, to: number])[]): string {
  return JSON.stringify({ texts: texts.map(([stream, from, to]) => ({ stream, from, to })), principal: null })
}

const ofRun = erasedBody(['run/b', 0, 3])

const honest: Record<string, Erasing> = {
  'honest-erased-run': { bodies: [ofRun], given: { data: '"she asked for it"' } },
  'honest-erased-one-by-one': {
    bodies: [erasedBody(['run/b', 3, 3], ['run/a', 0, 4], ['run/b', 0, 0]), erasedBody(['run/b', 1, 2])],
  },
  'honest-erased-overlapping': { bodies: [erasedBody(['run/b', 2, 2], ['run/b', 0, 9], ['run/b', 1, 1]), ofRun] },
  'honest-erased-of-a-principal': {
    bodies: [JSON.stringify({ ...JSON.parse(ofRun), principal: 'ada' })],
    places: [1, 3],
  },
  'honest-erased-reason': { bodies: [erasedBody(['governance', 3, 3], ['refusals', 0, 7])], places: [], reason: true },
  'honest-erased-but-there': { bodies: [ofRun], places: [2] },
}

const wrong: Record<string, Erasing> = {
  'erased-without-a-word': { expected: law },
  'erased-one-of-many': { bodies: [erasedBody(['run/b', 0, 2])], expected: law },
  'erased-before-the-range': { bodies: [erasedBody(['run/b', 1, 3])], expected: law },
  'erased-in-a-gap': { bodies: [erasedBody(['run/b', 0, 0], ['run/b', 2, 3])], expected: law },
  'erased-of-another-run': { bodies: [erasedBody(['run/a', 0, 3])], expected: law },
  'erased-backwards': { bodies: [erasedBody(['run/b', 3, 0])], expected: law },
  'erased-reason-without-a-word': { bodies: [ofRun], reason: true, expected: law },
  'erased-by-nobody-who-may': { bodies: [ofRun], given: { by: 'principal:eve' }, expected: law },
  'erased-by-the-system': { bodies: [ofRun], given: { by: 'system:cleaning' }, expected: law },
  'erased-by-an-older-law': { bodies: [ofRun], given: { seen: '-/-' }, expected: law },
  'erased-from-a-conversation': { bodies: [erasedBody(['run/b', 0, 3], ['conversation/7', 0, 3])], expected: law },
  'erased-half-a-place': { bodies: [erasedBody(['run/b', 0, 3.5])], expected: law },
  'erased-with-more-in-a-range': { bodies: [ofRun.replace('"to":3', '"to":3,"why":"no"')], expected: law },
  'erased-without-a-principal': { bodies: ['{"texts":[{"stream":"run/b","from":0,"to":3}]}'], expected: law },
}

const required: readonly CheckName[] = ['law']

const unknown: Record<string, Erasing> = {
  'unknown-erased-says-more': {
    bodies: [ofRun.replace('"principal"', '"more":1,"principal"')],
    expected: { verdict: 'incomplete', require: required },
  },
  'unknown-erased-withheld': {
    bodies: [ofRun],
    change: ({ streams }) => {
      const { events } = streams[0]!
      const at = events.findLastIndex(({ kind }) => kind === 'Erased')
      events[at] = { ...events[at]!, body: without(events[at]!.body, 'withheld') }
    },
    expected: { verdict: 'incomplete', require: required },
  },
}

async function caseFrom(
  name: string,
  { bodies = [], given = {}, places, reason, change, expected = {} }: Erasing,
): Promise<Case> {
  const log = threeRuns()
  const grant = { principal: 'cid', role: 'administrator', untilMs: null, source: 'direct' }
  log.append('governance', 'RoleGranted', JSON.stringify(grant), { data: '"is Ada\'s brother"' })
  for (const body of bodies) log.append('governance', 'Erased', body, given)
  log.seal()
  const draft = log.draft(runsOf(log))
  const run = draft.streams.find((stream) => stream.name === 'run/b')!
  run.events = run.events.map((event, place) => (places?.includes(place) === false ? event : erased(event)))
  const [governance] = draft.streams
  if (reason === true)
    governance!.events = governance!.events.map((event) => (hasReason(event) ? erased(event) : event))
  change?.(draft)
  return caseOf(name, await written(draft), expected)
}

// The reason of the grant; that of an erasure stays.
function hasReason({ kind, data }: LogEvent): boolean {
  return kind === 'RoleGranted' && data !== undefined
}

function erased(event: LogEvent): LogEvent {
  return event.data === undefined ? event : { ...event, data: without(event.data, 'erased') }
}

/** A payment that really ran, all of whose data was erased: what needs none of it is proven as before. */
async function governedOnes(): Promise<Case[]> {
  const log = logOf(journals('paid'))
  log.append('governance', 'Erased', erasedBody(['run/r', 0, 10]))
  log.seal()
  const bytes = await erasedBundle(log)
  return [
    caseOf('governed-paid-erased', bytes, { allow: ['actions', 'approvals', 'once'] }),
    caseOf('incomplete-paid-erased', bytes, { verdict: 'incomplete', allow: ['approvals', 'once'] }),
  ]
}

async function erasedBundle(log: Log): Promise<Buffer> {
  const draft = log.draft(runsOf(log))
  for (const stream of draft.streams.slice(1)) stream.events = stream.events.map(erased)
  return written(draft)
}

import type { OpId } from '../journal/index.js'
import type { AskRequest } from './ask.js'
import { engineError } from './errors.js'
import type { OpRecord } from './history.js'

/** Why a run is parked until somebody repairs its code or its journal. */
export interface Parking {
  readonly code: string
  readonly message: string
}

const remedy =
  'Nothing was executed and nothing is lost. Bring back the code that this run started with, or repair it so that it says ' +
  'the same words in the same order, and retry the run.'

/** What speaks against a word: it is said outside a turn, or differs from what the journal has at its place. */
export function objectionTo(
  request: AskRequest<unknown>,
  inTurn: boolean,
  record: OpRecord | undefined,
): Parking | undefined {
  if (!inTurn) return foreignAwait(`${describe(request)} was asked for outside a turn`)
  if (record === undefined) return undefined
  if (record.verb !== request.verb || record.name !== request.name) {
    return differsFrom(request.op, describe(request), describe(record))
  }
  const difference = request.differs?.(record)
  if (difference === undefined) return undefined
  const [asked, recorded] = [describe(request), describe(record)]
  return differsFrom(request.op, `${asked} ${difference.asked}`, `${recorded} ${difference.recorded}`)
}

function differsFrom(op: OpId, asked: string, recorded: string): Parking {
  const message = `At op ${op} the journal has ${recorded}, but the code asked for ${asked}. The run is parked. ${remedy}`
  return { code: 'nondeterminism', message }
}

/** The journal has an outcome that the code never asked for. */
export function neverAsked(op: OpId, record: OpRecord): Parking {
  const message = `The journal has ${describe(record)} at op ${op}, but the code never asked for it. The run is parked. ${remedy}`
  return { code: 'nondeterminism', message }
}

/** The flow waits, and for nothing that Constancia knows of. */
export function foreignAwait(what: string): Parking {
  const message =
    `${what}: the flow awaited something that is not in the journal (fetch, a timer, a file), or used ctx inside the function of a step. ` +
    'A replay could not repeat that, so the run is parked; nothing is lost. Wrap what it awaits in ctx.step, then retry the run.'
  return { code: 'foreign_await', message }
}

/** The code asks for a patch of which nobody knows when it came. */
export function undeclaredPatch(flow: string, id: string): Parking {
  const message =
    `ctx.patched asked for ${JSON.stringify(id)}, which flow ${flow} does not declare, so nobody can tell which runs started with it. ` +
    'The run is parked; nothing is lost. Add the id to the patches of the flow, then retry the run.'
  return { code: 'undeclared_patch', message }
}

/** The same, as the error that a word throws which cannot return a promise. */
export function parkingError(parking: Parking): Error {
  return engineError('foreign_await', parking.message)
}

function describe({ verb, name }: Pick<OpRecord, 'verb' | 'name'>): string {
  return verb === 'sleep' ? 'a sleep' : `${verb} ${JSON.stringify(name)}`
}

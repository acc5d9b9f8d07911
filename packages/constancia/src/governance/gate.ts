import { type GateAnswer as Answer, askGate as ask, type GateRequest as Request } from '@constancia/verify/governance'
import type { OpId } from '../journal/index.js'
import { schemaDigestOf } from './government.js'

/** What is asked of the gate: all of it as it is now, the first time and every time after. */
export type GateRequest = Omit<Request<OpId>, 'schemaDigestOf'>

/** What the gate says. */
export type GateAnswer = Answer<OpId>

/**
 * Whether an action may happen now: by the contract that the run is bound to, and by the one in force. Nothing else decides, here or
 * in a verifier: it is the same function. Pure.
 */
export function askGate(request: GateRequest): GateAnswer {
  return ask<OpId>({ ...request, schemaDigestOf })
}

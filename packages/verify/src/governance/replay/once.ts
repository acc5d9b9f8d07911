import { canonicalText, type Json } from '../canonical.js'
import type { DeclaredEffect } from '../contract.js'
import type { Law } from '../law.js'
import { readData } from '../reading/read.js'
import { notDispatchedCode, type RunBodies } from '../run-bodies.js'
import { type Decision, type OpState, type Told, withOne } from './run-state.js'

/** Kinds of events about the effect of an op. */
export const effectKinds: ReadonlySet<string> = new Set([
  'ActionAuthorized',
  'ActionDenied',
  'ActionCompleted',
  'ActionAttemptFailed',
  'ActionFailed',
  'OutcomeUnknown',
  'OutcomeStated',
])

/** Whether an event about an effect may come after what its op has had; for an authorization whether it may be attempted again. */
export function checkOnce(told: Told): void {
  const { event, op } = told
  const fail = failing(told)
  if (op.isOver) return fail('its op was over.')
  switch (event.kind) {
    case 'ActionCompleted':
      return checkCompleted(told as Told<'ActionCompleted'>)
    case 'ActionAttemptFailed':
      return checkFailedAttempt(told as Told<'ActionAttemptFailed'>)
    case 'ActionFailed': {
      const { attempt } = told.body as RunBodies['ActionFailed']
      return attempt > op.attempt + 1 ? fail(`attempt ${attempt} was never begun.`) : undefined
    }
    case 'OutcomeUnknown': {
      const { attempt } = told.body as RunBodies['OutcomeUnknown']
      if (attempt > op.attempt || op.authorizedAtMs === undefined) fail('nothing was begun that could be in doubt.')
      return
    }
  }
}

function failing({ event, body, run }: Told): (why: string) => void {
  return (why) => run.findings.fail('once', event.seq, `${event.kind} of ${body.name} does not follow: ${why}`)
}

/** Whether an op may be attempted with this authorization, for the first time or again. */
export function checkAttempt(told: Decision<'ActionAuthorized'>): void {
  const { event, body, op, run } = told
  const fail = failing(told)
  if (body.attempt !== op.attempt + 1) fail(`it is attempt ${op.attempt + 1}, and not ${body.attempt}.`)
  const user = body.approval === undefined ? undefined : run.uses.get(body.approval)
  if (user !== undefined && user !== body.op) fail(`the approval of op ${body.approval} was used for op ${user}.`)
  const { last } = op
  if (last === undefined) return
  checkSameInput(told)
  const effects = effectsOf(told)
  const protocols = new Set(effects.map(({ protocol }) => protocol))
  if (!isRepeatable(op, protocols)) return fail(`after ${last.kind} nothing is attempted again by itself.`)
  const is = (protocol: DeclaredEffect['protocol']): boolean => protocols.size === 1 && protocols.has(protocol)
  if (is('once') && last.kind === 'ActionAttemptFailed' && last.code !== notDispatchedCode) {
    return fail('the attempt before may have landed, and its destination cannot tell.')
  }
  if (!is('idempotent') || !op.isInDoubt || op.authorizedAtMs === undefined) return
  const remembersMs = Math.max(...effects.map((effect) => (effect.protocol === 'idempotent' ? effect.remembersMs : 0)))
  if (event.at - op.authorizedAtMs > remembersMs)
    fail('its destination may have forgotten the key of an attempt that may have landed.')
}

function checkSameInput({ event, op, run, body }: Decision<'ActionAuthorized'>): void {
  if (op.authorizedAtMs === undefined) return
  const { data } = event
  if (data === undefined || op.inputDigest === undefined) {
    return run.findings.unsure(
      'once',
      event.seq,
      `Whether ${body.name} is attempted with the same input is not known: it is withheld.`,
    )
  }
  if (run.history.digestOf(data) === op.inputDigest) return
  run.findings.fail('once', event.seq, `${body.name} is attempted again with another input.`)
}

function isRepeatable({ last }: OpState, protocols: ReadonlySet<string>): boolean {
  switch (last?.kind) {
    case undefined:
    case 'ActionAttemptFailed':
      return true
    case 'OutcomeStated':
      return last?.outcome === 'not_done'
    case 'ActionAuthorized':
      return protocols.has('verify') || protocols.has('transactional')
    default:
      return false
  }
}

function effectsOf({ body, started, law }: Decision<'ActionAuthorized'>): readonly DeclaredEffect[] {
  return declaredEffects(law, started.contract, body.name)
}

/** What the contract in force and the one that a run is bound to say of the destination of an action. */
export function declaredEffects(law: Law, bound: string | null, action: string): readonly DeclaredEffect[] {
  const contracts = new Set([law.inForce, bound === null ? undefined : law.contract(bound)])
  return [...contracts].flatMap((contract) => {
    const declared = contract?.declared.actions.find(({ name }) => name === action)
    return declared === undefined ? [] : [declared.effect]
  })
}

function checkCompleted(told: Told<'ActionCompleted'>): void {
  const { event, body, op, run } = told
  const fail = failing(told)
  const { last } = op
  switch (last?.kind) {
    case 'ActionAuthorized':
      return body.attempt === last.attempt
        ? undefined
        : fail(`it is of attempt ${last.attempt}, and not ${body.attempt}.`)
    case 'ActionAttemptFailed':
      return body.found === true ? undefined : fail('the attempt had failed.')
    case 'OutcomeStated': {
      if (last.outcome !== 'done') return fail(`it was stated as ${last.outcome}.`)
      const stated = statedOutput(last.said)
      const output = event.data === undefined || event.data === 'none' ? undefined : readData(event.data)
      if (stated === undefined || output === undefined) {
        return run.findings.unsure(
          'once',
          event.seq,
          `Whether the output of ${body.name} is the stated one is not known: it is withheld.`,
        )
      }
      return isSame(stated.value, output.value) ? undefined : fail('its output is another than the stated one.')
    }
    default:
      return fail(last === undefined ? 'nothing was begun.' : `nobody has said what came of it (${last.kind}).`)
  }
}

function statedOutput(said: Told['event']['data']): { readonly value: unknown } | undefined {
  if (said === undefined) return undefined
  const read = said === 'none' ? { value: {} } : readData(said)
  if (read === undefined) return undefined
  const { output } = Object(read.value) as { readonly output?: unknown }
  return { value: output === undefined ? { $: 'undefined' } : output }
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalText(one as Json) === canonicalText(other as Json)
}

function checkFailedAttempt(told: Told<'ActionAttemptFailed'>): void {
  const { body, op, run, started, event } = told
  const fail = failing(told)
  const then = run.history.at(event.governanceSeq ?? -1)
  const effects = then.kind === 'law' ? declaredEffects(then.law, started.contract, body.name) : []
  const protocols = new Set<string>(effects.map(({ protocol }) => protocol))
  const isThis = op.last?.kind === 'ActionAuthorized' && body.attempt === op.attempt
  const isNext = body.attempt === op.attempt + 1 && (then.kind === 'unknown' || isRepeatable(op, protocols))
  if (!isThis && !isNext) fail(`attempt ${body.attempt} was not under way.`)
}

/** Notes what an event says of the effect of its op. */
export function noteEffect({ event, body, op }: Told): void {
  const said = body as Partial<RunBodies['ActionAttemptFailed'] & RunBodies['OutcomeStated']>
  const { attempt = op.attempt, code, outcome } = said
  op.last = { kind: event.kind, attempt, code, outcome, said: event.kind === 'OutcomeStated' ? event.data : 'none' }
  switch (event.kind) {
    case 'ActionAuthorized':
      op.attempt = Math.max(op.attempt, attempt)
      return
    case 'ActionAttemptFailed':
      op.attempt = Math.max(op.attempt, attempt)
      if (code !== notDispatchedCode) op.isInDoubt = true
      return
    case 'OutcomeStated': {
      const { stater, delivery } = body as RunBodies['OutcomeStated']
      op.statements = withOne(op.statements, `${stater}\n${delivery}`)
      op.isInDoubt = false
      op.lastPause = 'OutcomeStated'
      op.lastDecision = 'OutcomeStated'
      return
    }
    case 'ActionCompleted':
    case 'ActionFailed':
    case 'ActionDenied':
      op.isOver = true
      op.inputDigest = undefined
      op.asked = undefined
  }
}

import { askGate } from '../gate.js'
import { countedLimits, limitPassed, usedWith } from '../limits.js'
import { readData } from '../reading/read.js'
import { judgeStatement } from '../statement.js'
import { verdictOf } from '../verdict.js'
import { principalOf } from './finding.js'
import { areSame, type Decision, listed, type OpState, type Told } from './run-state.js'

/** Whether the gate allows what was authorised, by the law and the votes of then, and whether the run may use that much. */
export function checkAuthorization(told: Decision<'ActionAuthorized'>): void {
  const { event, body, run, started, law } = told
  const { findings } = run
  const fail = (why: string): void => findings.fail('actions', event.seq, `The authorization does not follow: ${why}`)
  checkLeave(told)
  const roles = started.actor === null ? [] : law.grantedTo(started.actor, event.at)
  if (!areSame(roles, body.roles)) fail(`it is recorded by ${listed(body.roles)}, and the actor held ${listed(roles)}.`)
  checkLimits(told)
  const approval = approvalOf(told)
  if (typeof approval === 'string') return fail(approval)
  const isKnown = typeof event.data === 'string' && event.data !== 'none' && readData(event.data) !== undefined
  if (event.data === 'none') return fail('it carries no input.')
  if (!isKnown)
    return findings.unsure('actions', event.seq, 'Its input is withheld or unreadable, so the verdict is not known.')
  if (approval !== undefined && !(approval.isShownKnown && approval.isAmendmentKnown)) {
    return findings.unsure(
      'actions',
      event.seq,
      'What was approved is withheld or unreadable, so the verdict is not known.',
    )
  }
  const request = {
    law,
    run: started,
    action: body.name,
    inputText: event.data as string,
    nowMs: event.at,
    isUsed: false,
  }
  const answer = askGate({ ...request, approval: approval?.asked, schemaDigestOf: run.history.schemaDigestOf })
  if (answer.kind === 'denied') return fail(`${answer.reason} (${answer.code})`)
  if (answer.kind === 'needs_approval') return fail(`rule ${answer.rule} asks for an approval, and none is at hand.`)
  const { rule, approval: used } = answer.facts
  if (rule !== body.rule) fail(`it is rule ${rule} that allows it, and not rule ${body.rule}.`)
  if (used !== body.approval) fail('no rule asks for the approval that it names.')
}

// The op whose approval is used, undefined for none, or why it cannot be.
function approvalOf({ body, run }: Decision<'ActionAuthorized'>): OpState | string | undefined {
  const { approval } = body
  if (approval === undefined) return undefined
  const op = run.peek(approval)
  const user = run.uses.get(approval)
  if (user !== undefined && user !== body.op) return `the approval of op ${approval} was used for op ${user}.`
  if (op?.asked?.resolved === undefined) return `the approval of op ${approval} is not decided.`
  if (op.asked.request.action === null) return `op ${approval} asks a plain question, which authorises nothing.`
  return approval === body.op || op.verb === 'approval' ? op : `op ${approval} asks for another action.`
}

// After people have spoken nothing executes before the run was let go on.
function checkLeave({ event, body, op, run }: Decision<'ActionAuthorized'>): void {
  const asked = body.approval === undefined ? undefined : run.peek(body.approval)
  for (const one of new Set([op, asked])) {
    if (one === undefined || one.lastPause === undefined || one.lastPause === 'ResumeAuthorized') continue
    const why = `Action ${body.name} was authorised after a pause (${one.lastPause}) that nobody let the run go on from.`
    run.findings.fail('resumes', event.seq, why)
  }
}

function checkLimits({ event, body, run, started, law }: Decision<'ActionAuthorized'>): void {
  const bound = started.contract === null ? undefined : law.contract(started.contract)
  const contracts = [...new Set([law.inForce, bound])].flatMap((one) => (one === undefined ? [] : [one.declared]))
  // Most contracts have none, and what a run has done is counted through for them alone.
  if (contracts.every(({ limits }) => countedLimits.every((name) => limits[name] === undefined))) return
  const used = usedWith([...run.intents.values()], body, event.at - started.atMs)
  const passed = limitPassed(contracts, used)
  if (passed === undefined) return
  const limit = passed.limits[passed.name]
  run.findings.fail(
    'actions',
    event.seq,
    `The authorization passes a limit: ${passed.name} is ${limit} at most, not ${used[passed.name]}.`,
  )
}

const earlyCodes: ReadonlySet<string> = new Set(['unknown_action', 'no_rule', 'role_missing'])

/** Whether a denial follows, as far as it can be computed without an input. */
export function checkDenial({ event, body, op, run, started, law }: Decision<'ActionDenied'>): void {
  const fail = (why: string): void => run.findings.fail('actions', event.seq, `The denial does not follow: ${why}`)
  const { code } = body
  const isByPeople = code === 'approval_rejected' || code === 'approval_expired'
  const roles = isByPeople || started.actor === null ? [] : law.grantedTo(started.actor, event.at)
  if (!areSame(roles, body.roles)) fail(`it is recorded by ${listed(body.roles)}, and the actor held ${listed(roles)}.`)
  const outcome = op.asked?.resolved?.outcome
  if (isByPeople && outcome !== (code === 'approval_expired' ? 'expired' : 'rejected'))
    fail(`people said ${outcome ?? 'nothing'}.`)
  if (!earlyCodes.has(code)) return
  const bound = started.contract === null ? undefined : law.contract(started.contract)
  if (bound === undefined || law.inForce === undefined) {
    if (code !== 'unknown_action') fail('the run is bound to no contract that was in force.')
    return
  }
  const actor = { id: started.actor ?? '-', person: law.personOf(started.actor ?? '-'), roles }
  const proposal = { action: body.name, input: null, actor, approval: undefined }
  const verdicts = [law.inForce, bound].map(({ declared }) => verdictOf(declared, proposal))
  if (!verdicts.some((verdict) => verdict.kind === 'denied' && verdict.code === code)) fail(`no contract says ${code}.`)
}

/** Whether somebody may say what came of an effect. */
export function checkStatement({ event, body, op, run, started, law }: Decision<'OutcomeStated'>): void {
  const fail = (why: string): void =>
    run.findings.fail('actions', event.seq, `The statement of ${body.stater} does not count: ${why}`)
  if (principalOf(event.by) !== body.stater) fail(`it is by ${event.by}.`)
  if (op.last?.kind !== 'OutcomeUnknown') fail('nothing was unknown then.')
  if (op.statements.has(`${body.stater}\n${body.delivery}`)) fail('it was given before under this delivery.')
  const { actor } = started
  const judged = judgeStatement(op.name, { stater: body.stater, actor, law, nowMs: event.at })
  if (judged.kind === 'refused') fail(judged.reason)
  else if (!areSame(judged.roles, body.roles))
    fail(`it is recorded by ${listed(body.roles)}, and counts by ${listed(judged.roles)}.`)
}

/** Whether what was done was authorised. */
export function checkCompletion({ event, body, op, run }: Told<'ActionCompleted'>): void {
  if (op.authorizedAtMs !== undefined) return
  run.findings.fail('actions', event.seq, `Action ${body.name} was done, and never authorised.`)
}

/** Notes an authorization. */
export function noteIntent({ event, body, op, run }: Told<'ActionAuthorized'>): void {
  if (op.authorizedAtMs === undefined) {
    op.authorizedAtMs = event.at
    const { data } = event
    op.inputDigest = data === undefined ? undefined : run.history.digestOf(data)
  }
  if (body.approval !== undefined && !run.uses.has(body.approval)) run.uses.set(body.approval, body.op)
  run.intents.set(body.op, { op: body.op, cents: body.cents ?? 0 })
}

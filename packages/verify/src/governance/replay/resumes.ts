import { isDeferredAfterApproval, judgeResume } from '../resume.js'
import type { RunBodies } from '../run-bodies.js'
import { principalOf } from './finding.js'
import { areSame, type Decision, listed, type Told } from './run-state.js'

type Resumption = Decision<'ResumeAuthorized' | 'ResumeDenied' | 'ResumeDeferred'>

/** Whether a run was let go on, put off or kept from going on by what held then. */
export function checkResumption(told: Resumption): void {
  const { event, run, started, law } = told
  const fail = (why: string): void => run.findings.fail('resumes', event.seq, `${event.kind} does not follow: ${why}`)
  const verdict = judgeResume(law, started, event.at)
  if (verdict.kind === 'denied' && event.kind !== 'ResumeDenied') {
    fail(`the run may be resumed by ${listed(verdict.wanted)}, and its actor held ${listed(verdict.roles)}.`)
  }
  if (verdict.kind === 'admitted' && event.kind === 'ResumeDenied') fail('its actor might go on with it.')
  if (event.kind !== 'ResumeDeferred') {
    const { roles } = told.body as RunBodies['ResumeAuthorized']
    if (!areSame(roles, verdict.roles))
      fail(`it is recorded by ${listed(roles)}, and the actor held ${listed(verdict.roles)}.`)
  }
  if (event.kind === 'ResumeDeferred') return checkDeferral(told, fail)
  if (event.kind === 'ResumeDenied') return checkReturn(told, fail)
  checkPermission(told, fail)
}

type Fail = (why: string) => void

function checkPermission(told: Resumption, fail: Fail): void {
  const { event, op, run, started, law } = told
  const isOfPeople = op.verb === 'do' || op.verb === 'approval'
  if (isOfPeople && (op.lastPause === undefined || op.lastPause === 'ResumeAuthorized'))
    fail('there was no pause to go on from.')
  if (principalOf(event.by) !== undefined) return checkReturn(told, fail)
  if (!event.by.startsWith('claim:')) fail(`${event.by} lets no run go on.`)
  const isDecision = op.lastDecision === 'ApprovalResolved' || run.restricted.has(told.body.op)
  const isToWait = isDecision && run.cancelSeq === undefined && isDeferredAfterApproval(law, started)
  if (isToWait) fail('after a decision its rest waits for the next message of its user.')
}

// The user came back, and the run waited for that.
function checkReturn({ event, op, started, law }: Resumption, fail: Fail): void {
  const by = principalOf(event.by)
  const isTheirs = by !== undefined && started.actor !== null && law.personOf(by) === law.personOf(started.actor)
  if (!isTheirs) fail(`${event.by} is not the actor of the run.`)
  if (!op.isDeferred) fail('it did not wait for a message.')
}

function checkDeferral({ body, op, run, started, law }: Resumption, fail: Fail): void {
  if (!isDeferredAfterApproval(law, started)) fail('no contract puts its rest off.')
  if (op.lastDecision !== 'ApprovalResolved' && !run.restricted.has(body.op)) fail('nobody had decided anything.')
}

/** Notes whether a run was let go on. */
export function noteResumption({ event, op }: Told): void {
  if (event.kind === 'ResumeDeferred') op.isDeferred = true
  if (event.kind !== 'ResumeAuthorized') return
  op.isDeferred = false
  op.lastPause = 'ResumeAuthorized'
}

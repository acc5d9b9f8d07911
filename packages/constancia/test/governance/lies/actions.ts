import { createHash } from 'node:crypto'
import { canonicalText, type Json } from '@constancia/verify'
import type { Forgery, Loose } from './forgery.js'
import type { Lie } from './lie.js'

type Told = Omit<Lie, 'check'>

const stricter = (event: Loose): string => {
  const declared = JSON.parse(event.data as string)
  const rules = declared.rules.map((rule: object) => ({ ...rule, when: 'input.cents < 1' }))
  return canonical({ ...declared, version: '9', rules })
}

// A contract in force before this event that allows next to nothing.
function tightened(forgery: Forgery, event: Loose): Loose {
  const before = forgery.change('ContractActivated')
  const data = stricter(before)
  const digest = sha256(data)
  const { name } = before.body
  const confirmation = { digest, confirmer: 'root', roles: ['administrator'] }
  const activation = { name, version: '9', digest, approvedBy: ['root'] }
  forgery.lawBefore(event, { kind: 'ContractActivated', body: activation, data })
  const confirmed = forgery.lawBefore(event, { kind: 'ContractConfirmed', body: confirmation })
  // Both were written at once, the confirmation first.
  const [second, first] = [confirmed, forgery.law[forgery.law.indexOf(confirmed) - 1] as Loose]
  const place = forgery.law.indexOf(first)
  forgery.law.splice(place, 2, second, first)
  second.seen = first.seen = place - 1
  return event
}

/** Lies about what was authorised and done. */
export const actionLies: readonly Lie[] = (
  [
    {
      lie: 'another input executes than was approved',
      scene: 'paid',
      says: /approval_other_input/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        intent.data = '{"to":"mallory","cents":250000}'
        return intent
      },
    },
    {
      lie: 'it rests on the answer to a plain question',
      scene: 'paid',
      says: /asks a plain question, which authorises nothing/,
      forge: (forgery) => {
        const request = forgery.event('ApprovalRequested')
        request.body.action = null
        return forgery.event('ActionAuthorized')
      },
    },
    {
      lie: 'what was shown executes, and not the amendment',
      scene: 'amended',
      says: /approval_other_input/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        intent.data = '{"to":"acme","cents":250000}'
        return intent
      },
    },
    {
      lie: 'it is authorised without the approval that it needs',
      scene: 'paid',
      says: /asks for an approval, and none is at hand/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        delete intent.body.approval
        return intent
      },
    },
    {
      lie: 'it names an approval that it does not need',
      scene: 'paid',
      says: /is not decided/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized', 0)
        intent.body.approval = '1'
        return intent
      },
    },
    {
      lie: 'the approval was rejected',
      scene: 'paid',
      says: /asks for an approval, and none is at hand/,
      forge: (forgery) => {
        forgery.event('ApprovalVoted').body.choice = 'reject'
        forgery.event('ApprovalResolved').body.outcome = 'rejected'
        return forgery.event('ActionAuthorized')
      },
    },
    {
      lie: 'another rule allows it',
      scene: 'paid',
      says: /it is rule 2 that allows it, and not rule 1/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        intent.body.rule = 1
        return intent
      },
    },
    {
      lie: 'no rule allows so much',
      scene: 'retried',
      says: /asks for an approval/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized', 0)
        intent.data = '{"to":"acme","cents":500000}'
        return intent
      },
    },
    {
      lie: 'the actor held other roles',
      scene: 'paid',
      says: /it is recorded by administrator, and the actor held analyst/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        intent.body.roles = ['administrator']
        return intent
      },
    },
    {
      lie: 'the actor was revoked before',
      scene: 'retried',
      says: /role_missing/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized', 0)
        forgery.lawBefore(intent, { kind: 'RoleRevoked', body: { principal: 'ann', role: 'analyst', source: null } })
        intent.body.roles = []
        return intent
      },
    },
    {
      lie: 'the approver was revoked before the effect',
      scene: 'paid',
      says: /approval_lapsed/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        forgery.lawBefore(intent, { kind: 'RoleRevoked', body: { principal: 'tom', role: 'treasurer', source: null } })
        return intent
      },
    },
    {
      lie: 'the approver turned out to be whoever asked',
      scene: 'paid',
      says: /approval_lapsed/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        forgery.lawBefore(intent, { kind: 'IdentityLinked', body: { principal: 'tom', person: 'ann' } })
        return intent
      },
    },
    {
      lie: 'the contract was tightened before',
      scene: 'retried',
      says: /condition_failed/,
      forge: (forgery) => {
        const intent = tightened(forgery, forgery.event('ActionAuthorized', 0))
        intent.body.contract = forgery.law[intent.seen]?.body.digest
        return intent
      },
    },
    {
      lie: 'a contract is named that was in force no more',
      scene: 'retried',
      says: /names contract/,
      forge: (forgery) => tightened(forgery, forgery.event('ActionAuthorized', 0)),
    },
    {
      lie: 'the run is bound to a contract that was never in force',
      scene: 'retried',
      says: /is not among those that were put in force/,
      forge: (forgery) => {
        forgery.event('FlowStarted').body.contract = 'b'.repeat(64)
        return forgery.event('ActionAuthorized', 0)
      },
    },
    {
      lie: 'the run acts as somebody else',
      scene: 'retried',
      says: /role_missing/,
      forge: (forgery) => {
        forgery.event('FlowStarted').body.actor = 'tom'
        const intent = forgery.event('ActionAuthorized', 0)
        intent.body.roles = ['treasurer']
        return intent
      },
    },
    {
      lie: 'one action too many is authorised, and not denied',
      scene: 'limited',
      says: /passes a limit: actions is 1/,
      forge: (forgery) => {
        const denial = forgery.event('ActionDenied')
        const { op, verb, name, contract, roles } = denial.body
        denial.kind = 'ActionAuthorized'
        denial.body = { op, verb, name, attempt: 1, contract, rule: 1, roles, cents: 500 }
        denial.data = '{"to":"acme","cents":500}'
        return denial
      },
    },
    {
      lie: 'a person authorises',
      scene: 'paid',
      says: /not by an owner of the run/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        intent.by = 'principal:ann'
        return intent
      },
    },
    {
      lie: 'it was decided by an older law than was known',
      scene: 'paid',
      says: /older law than an event before it had seen/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        intent.seen -= 1
        return intent
      },
    },
    {
      lie: 'a denial for a role that the actor held',
      scene: 'limited',
      says: /no contract says role_missing/,
      forge: (forgery) => {
        const denial = forgery.event('ActionDenied')
        denial.body.code = 'role_missing'
        return denial
      },
    },
    {
      lie: 'a denial that people did not speak',
      scene: 'rejected',
      says: /people said rejected/,
      forge: (forgery) => {
        const denial = forgery.event('ActionDenied')
        denial.body.code = 'approval_expired'
        return denial
      },
    },
    {
      lie: 'a denial by roles that the actor did not hold',
      scene: 'limited',
      says: /the actor held analyst/,
      forge: (forgery) => {
        const denial = forgery.event('ActionDenied')
        denial.body.roles = []
        return denial
      },
    },
    {
      lie: 'somebody says what came of it who may not',
      scene: 'stated',
      says: /It is for treasurer to say/,
      forge: (forgery) => {
        const statement = forgery.event('OutcomeStated')
        statement.by = 'principal:mallory'
        statement.body.stater = 'mallory'
        return statement
      },
    },
    {
      lie: 'whoever asked says what came of it',
      scene: 'stated',
      says: /Nobody settles what they asked for themselves/,
      forge: (forgery) => {
        const statement = forgery.event('OutcomeStated')
        statement.by = 'principal:ann-bot'
        statement.body.stater = 'ann-bot'
        return statement
      },
    },
    {
      lie: 'a statement is in somebody else’s name',
      scene: 'stated',
      says: /it is by principal:mallory/,
      forge: (forgery) => {
        const statement = forgery.event('OutcomeStated')
        statement.by = 'principal:mallory'
        return statement
      },
    },
    {
      lie: 'a statement about what is known',
      scene: 'stated',
      says: /nothing was unknown then/,
      forge: (forgery) => {
        forgery.drop(forgery.event('OutcomeUnknown'))
        return forgery.event('OutcomeStated')
      },
    },
    {
      lie: 'something was done that nobody authorised',
      scene: 'retried',
      says: /never authorised/,
      forge: (forgery) => {
        forgery.drop(
          forgery.event('ActionAuthorized', 0),
          forgery.event('ActionAttemptFailed'),
          forgery.event('ActionAuthorized'),
        )
        return forgery.event('ActionCompleted')
      },
    },
    {
      lie: 'what was done has another name than what was authorised',
      scene: 'paid',
      says: /something else than events before it/,
      forge: (forgery) => {
        const done = forgery.event('ActionCompleted')
        done.body.name = 'invoice.read'
        return done
      },
    },
    {
      lie: 'an authorization says nothing of its roles',
      scene: 'paid',
      says: /it has no roles/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        delete intent.body.roles
        return intent
      },
    },
  ] satisfies readonly Told[]
).map((told) => ({ ...told, check: 'actions' }))

function canonical(value: unknown): string {
  return canonicalText(value as Json)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

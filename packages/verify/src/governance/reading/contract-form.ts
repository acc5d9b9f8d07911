import { contractFormat } from '../contract.js'
import {
  anything,
  choice,
  count,
  type Form,
  flag,
  listOf,
  mapOf,
  name,
  nullOr,
  number,
  object,
  oneOf,
  text,
  whole,
} from './form.js'

const roles = listOf(name)

/** The form of an approval that a contract or a flow asks for. */
export const approvalForm = object({
  has: {
    roles,
    quorum: count,
    notBy: oneOf('actor', null),
    withinMs: nullOr(number),
    escalation: nullOr(object({ has: { afterMs: number, roles } })),
    amendable: flag,
    reasonRequired: flag,
  },
})

const protocol = (value: string): Form => oneOf(value)

const effectForm = choice('protocol', {
  transactional: object({ has: { protocol: protocol('transactional') } }),
  idempotent: object({ has: { protocol: protocol('idempotent'), remembersMs: number } }),
  verify: object({ has: { protocol: protocol('verify'), settlesMs: number } }),
  once: object({ has: { protocol: protocol('once') } }),
})

const actionForm = object({
  has: {
    name,
    title: text,
    input: anything,
    output: anything,
    effect: effectForm,
    checksSituation: flag,
    undo: nullOr(name),
  },
})

const ruleForm = object({ has: { action: name, roles, when: nullOr(text), approval: nullOr(approvalForm) } })

const resumeForm: Form = (value) => (value === 'anyone' ? undefined : object({ has: { roles } })(value))

const flowForm = object({
  has: {
    name,
    version: whole,
    resume: resumeForm,
    models: oneOf('none', 'after-approval', 'deferred'),
    steps: anything,
  },
})

const limitsForm = object({
  has: {},
  may: { actions: number, modelCalls: number, tokens: number, cents: number, runMs: number },
})

/** The form of a whole contract. */
export const contractForm = object({
  has: {
    format: oneOf(contractFormat),
    name,
    version: name,
    roles: mapOf(name, text),
    actions: listOf(actionForm),
    rules: listOf(ruleForm),
    flows: listOf(flowForm),
    limits: limitsForm,
    templates: anything,
    activation: object({ has: { roles, quorum: count } }),
  },
})

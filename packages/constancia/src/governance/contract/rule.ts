import type { DeclaredApproval, DeclaredRule } from '@constancia/verify/governance'
import type { AnyAction } from './action.js'

/** Which approval is asked for. Milliseconds. */
export interface ApprovalPolicy {
  /** Who may decide: people who hold one of these. */
  readonly roles: readonly string[]
  /** How many different people; 1 unless set. */
  readonly quorum?: number
  /** Nobody approves what they asked for themselves, under whatever identity. */
  readonly notBy?: 'actor'
  /** How long it waits; for ever unless set. */
  readonly within?: number
  /** Who may decide as well once it has waited for so long. */
  readonly escalate?: { readonly after: number; readonly to: readonly string[] }
  /** Whether it may be approved with changes. */
  readonly amendable?: boolean
  /** Whether a decision needs a reason in words. */
  readonly reasonRequired?: boolean
}

/** One sentence of a contract: who may have an action done, when, and after what. Each word returns a rule of its own. */
export class Rule {
  readonly declared: DeclaredRule
  readonly action: AnyAction

  constructor(action: AnyAction, declared: DeclaredRule) {
    this.action = action
    this.declared = declared
  }

  /** To holders of any of these roles. */
  to(...roles: readonly string[]): Rule {
    return new Rule(this.action, { ...this.declared, roles: [...this.declared.roles, ...roles] })
  }

  /** Where this condition holds: a part of CEL over `input` and `actor`, such as `input.cents <= 100000`. */
  when(condition: string): Rule {
    return new Rule(this.action, { ...this.declared, when: condition })
  }

  /** After people have approved the very input. */
  afterApproval(policy: ApprovalPolicy): Rule {
    return new Rule(this.action, { ...this.declared, approval: declaredApproval(policy) })
  }
}

/** Begins a rule about an action. What no rule allows is denied. */
export function allow(action: AnyAction): Rule {
  return new Rule(action, { action: action.name, roles: [], when: null, approval: null })
}

/** A policy in the form that a contract keeps, with nothing left out. */
export function declaredApproval(policy: ApprovalPolicy): DeclaredApproval {
  const { roles, quorum = 1, notBy = null, within = null, escalate, amendable = false, reasonRequired = false } = policy
  return {
    roles: [...roles],
    quorum,
    notBy,
    withinMs: within,
    escalation: escalate === undefined ? null : { afterMs: escalate.after, roles: [...escalate.to] },
    amendable,
    reasonRequired,
  }
}

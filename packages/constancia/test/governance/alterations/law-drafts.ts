import type { Draft } from '../../../dist/journal/index.js'
import type { Office } from './office.js'
import type { Alteration } from './words.js'

/** When a delegation ends that was renewed: far behind everything that is played, UTC milliseconds since 1970. */
const farMs = Date.UTC(2100, 0, 1)

/** A draft of the governance stream. */
export function lawDraft(kind: string, body: object, data?: string): Draft {
  return { kind, body: JSON.stringify(body), data }
}

/** What is written into the governance stream when the law is altered; nothing where it is the world that changes. */
export function draftsOf(alteration: Alteration, office: Office): readonly Draft[] {
  switch (alteration.kind) {
    case 'grant': {
      const { principal, role } = alteration
      return [lawDraft('RoleGranted', { principal, role, untilMs: null, source: 'direct' })]
    }
    case 'revoke': {
      const { principal, role } = alteration
      return [lawDraft('RoleRevoked', { principal, role, source: null })]
    }
    case 'delegate': {
      const { from, to } = alteration
      return [lawDraft('DelegationGranted', { from, to, roles: ['treasurer'], untilMs: farMs })]
    }
    case 'undelegate':
      return [lawDraft('DelegationRevoked', { from: alteration.from, to: alteration.to })]
    case 'link':
      return [lawDraft('IdentityLinked', { principal: alteration.principal, person: alteration.person })]
    case 'amend': {
      const { declared, digest, text } = office.contractWith(alteration.amendments)
      const { name, version } = declared
      return [
        lawDraft('ContractConfirmed', { digest, confirmer: 'root', roles: ['administrator'] }),
        lawDraft('ContractActivated', { name, version, digest, approvedBy: ['root'] }, text),
      ]
    }
    default:
      return []
  }
}

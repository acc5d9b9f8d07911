import { createHash } from 'node:crypto'
import type { Forgery, Loose } from './forgery.js'
import type { Lie } from './lie.js'

type Told = Omit<Lie, 'check' | 'scene'>

const grant = (body: object, by = 'principal:root') => ({
  kind: 'RoleGranted',
  by,
  body: { principal: 'mallory', role: 'treasurer', untilMs: null, source: 'direct', ...body },
})

function activated(forgery: Forgery): Loose {
  return forgery.change('ContractActivated')
}

/** Lies about the law itself: changes that nobody who made them was permitted to make. */
export const lawLies: readonly Lie[] = (
  [
    {
      lie: 'somebody grants who is no administrator',
      says: /tom did not hold administrator then/,
      forge: (forgery) => forgery.adds(grant({}, 'principal:tom')),
    },
    {
      lie: 'an administrator grants who was revoked before',
      says: /bob did not hold administrator then/,
      forge: (forgery) => {
        forgery.adds({ kind: 'RoleRevoked', body: { principal: 'bob', role: 'administrator', source: null } })
        return forgery.adds(grant({}, 'principal:bob'))
      },
    },
    {
      lie: 'an administrator grants whose role had ended',
      says: /bob did not hold administrator then/,
      forge: (forgery) => {
        const added = forgery.adds(grant({}, 'principal:bob'))
        forgery.grantOf('bob', 'administrator').body.untilMs = added.at
        return added
      },
    },
    {
      lie: 'a second first administrator',
      says: /was granted before; only once/,
      forge: (forgery) => forgery.adds(grant({ role: 'administrator', source: 'bootstrap' }, 'principal:mallory')),
    },
    {
      lie: 'the first administrator is no administrator',
      says: /What is granted first is administrator/,
      forge: (forgery) => {
        const first = forgery.law[0] as Loose
        first.body.role = 'treasurer'
        return first
      },
    },
    {
      lie: 'a role is taken by hand as if a source had taken it back',
      says: /No import is of the source direct/,
      forge: (forgery) =>
        forgery.adds({
          kind: 'RoleRevoked',
          by: 'principal:root',
          body: { principal: 'tom', role: 'treasurer', source: 'direct' },
        }),
    },
    {
      lie: 'no principal made the change',
      says: /Only principals change the law/,
      forge: (forgery) => forgery.adds(grant({}, 'system:sealer')),
    },
    {
      lie: 'a grant of a role that no contract knows',
      says: /knows no role king/,
      forge: (forgery) => forgery.adds(grant({ role: 'king' })),
    },
    {
      lie: 'a grant that had ended when it was made',
      says: /Its end was no moment to come/,
      forge: (forgery) => {
        const added = forgery.adds(grant({}))
        added.body.untilMs = added.at
        return added
      },
    },
    {
      lie: 'somebody revokes who may not',
      says: /tom did not hold administrator then/,
      forge: (forgery) =>
        forgery.adds({
          kind: 'RoleRevoked',
          by: 'principal:tom',
          body: { principal: 'una', role: 'treasurer', source: null },
        }),
    },
    {
      lie: 'the last administrator goes',
      says: /leaves nobody who may change roles/,
      forge: (forgery) => {
        for (const principal of ['ada', 'bob'])
          forgery.adds({ kind: 'RoleRevoked', body: { principal, role: 'administrator', source: null } })
        return forgery.adds({ kind: 'RoleRevoked', body: { principal: 'root', role: 'administrator', source: null } })
      },
    },
    {
      lie: 'a delegation of what is not held',
      says: /una did not hold analyst then/,
      forge: (forgery) => {
        const given = forgery.change('DelegationGranted')
        given.body.roles = ['analyst']
        return given
      },
    },
    {
      lie: 'a delegation of the rule over roles',
      says: /granted, never delegated/,
      forge: (forgery) => {
        const body = { from: 'root', to: 'mallory', roles: ['administrator'], untilMs: 8e15 }
        return forgery.adds({ kind: 'DelegationGranted', body })
      },
    },
    {
      lie: 'a delegation by somebody else',
      says: /mallory did not hold administrator then/,
      forge: (forgery) => {
        const given = forgery.change('DelegationGranted')
        given.by = 'principal:mallory'
        return given
      },
    },
    {
      lie: 'a delegation to oneself',
      says: /to somebody else/,
      forge: (forgery) => {
        const given = forgery.change('DelegationGranted')
        given.body.to = 'una'
        return given
      },
    },
    {
      lie: 'somebody ends a delegation of others',
      says: /tom did not hold administrator then/,
      forge: (forgery) => {
        const ended = forgery.change('DelegationRevoked')
        ended.by = 'principal:tom'
        return ended
      },
    },
    {
      lie: 'somebody links identities who may not',
      says: /ann did not hold administrator then/,
      forge: (forgery) => {
        const linked = forgery.change('IdentityLinked', 0)
        linked.by = 'principal:ann'
        return linked
      },
    },
    {
      lie: 'an import gives back what was taken by hand',
      says: /no import gives it back/,
      forge: (forgery) =>
        forgery.adds({
          kind: 'RoleGranted',
          body: { principal: 'vic', role: 'treasurer', untilMs: null, source: 'ldap' },
        }),
    },
    {
      lie: 'an import revokes what its source never granted',
      says: /did not grant treasurer to tom/,
      forge: (forgery) =>
        forgery.adds({ kind: 'RoleRevoked', body: { principal: 'tom', role: 'treasurer', source: 'ldap' } }),
    },
    {
      lie: 'an import of two sources at once',
      says: /An import is of one source/,
      forge: (forgery) => {
        const first = forgery.law.find(({ body }) => body.source === 'ldap') as Loose
        ;(forgery.law[forgery.law.indexOf(first) + 1] as Loose).body.source = 'hr'
        return first
      },
    },
    {
      lie: 'several changes at once that are made one by one',
      says: /one by one, and not at once/,
      forge: (forgery) => {
        const first = forgery.adds(grant({ principal: 'una', role: 'treasurer' }))
        const second = forgery.adds(grant({ principal: 'tom', role: 'analyst' }))
        second.seen = first.seen
        second.at = first.at
        return first
      },
    },
    {
      lie: 'a contract comes into force without its quorum',
      says: /It took 2 people who hold administrator; there were 1/,
      forge: (forgery) => {
        const change = activated(forgery)
        const confirmed = forgery.change('ContractConfirmed')
        // Only ada has ever said so.
        const [proposed, first] = [forgery.change('ContractProposed'), forgery.change('ContractConfirmed', 1)]
        for (const event of [proposed, first]) forgery.law.splice(forgery.law.indexOf(event), 1)
        for (const event of forgery.law) if (event.seen > confirmed.seen - 2) event.seen -= 2
        change.body.approvedBy = ['ada']
        return confirmed
      },
    },
    {
      lie: 'the same person confirms twice',
      says: /root confirms it exactly once/,
      forge: (forgery) => {
        const confirmed = forgery.change('ContractConfirmed')
        const first = forgery.change('ContractConfirmed', 1)
        for (const event of [confirmed, activated(forgery)]) event.by = first.by
        confirmed.body.confirmer = 'root'
        activated(forgery).body.approvedBy = ['root']
        return confirmed
      },
    },
    {
      lie: 'those who put it in force are others',
      says: /Those whose confirmations counted were root, ada/,
      forge: (forgery) => {
        activated(forgery).body.approvedBy = ['root', 'bob']
        return forgery.change('ContractConfirmed')
      },
    },
    {
      lie: 'somebody confirms in another’s name',
      says: /bob did not confirm it/,
      forge: (forgery) => {
        const confirmed = forgery.change('ContractConfirmed')
        confirmed.body.confirmer = 'bob'
        return confirmed
      },
    },
    {
      lie: 'the roles of a confirmation are made up',
      says: /ada confirms it by administrator/,
      forge: (forgery) => {
        const confirmed = forgery.change('ContractConfirmed')
        confirmed.body.roles = ['king']
        return confirmed
      },
    },
    {
      lie: 'somebody confirms who may not',
      says: /and tom held none of these/,
      forge: (forgery) => {
        const confirmed = forgery.change('ContractConfirmed')
        for (const event of [confirmed, activated(forgery)]) event.by = 'principal:tom'
        confirmed.body.confirmer = 'tom'
        activated(forgery).body.approvedBy = ['root', 'tom']
        return confirmed
      },
    },
    {
      lie: 'a contract is in force that nobody confirmed',
      says: /confirms it exactly once/,
      forge: (forgery) => {
        const confirmed = forgery.change('ContractConfirmed')
        forgery.law.splice(forgery.law.indexOf(confirmed), 1)
        for (const event of forgery.law) if (event.seen > confirmed.seen) event.seen -= 1
        return activated(forgery)
      },
    },
    {
      lie: 'the text of a contract is another than its digest names',
      says: /another than the event names/,
      forge: (forgery) => {
        const change = activated(forgery)
        change.data = (change.data as string).replace('"quorum":1', '"quorum":3')
        return change
      },
    },
    {
      lie: 'the text of a contract is not the canonical one',
      says: /not the canonical one/,
      forge: (forgery) => {
        const change = activated(forgery)
        change.data = ` ${change.data}`
        change.body.digest = createHash('sha256').update(change.data).digest('hex')
        return change
      },
    },
    {
      lie: 'a change was decided by an older law',
      says: /It was decided by what held after/,
      forge: (forgery) => {
        const linked = forgery.change('IdentityLinked')
        linked.seen -= 2
        return linked
      },
    },
    {
      lie: 'a grant that says nothing of its end',
      says: /it has no untilMs/,
      forge: (forgery) => {
        const granted = forgery.grantOf('una', 'treasurer')
        delete granted.body.untilMs
        return granted
      },
    },
  ] satisfies readonly Told[]
).map((told) => ({ ...told, check: 'law', scene: 'governed' }))

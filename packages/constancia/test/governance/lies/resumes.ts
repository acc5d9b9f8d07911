import type { Lie } from './lie.js'

type Told = Omit<Lie, 'check'>

/** Lies about going on after a pause. */
export const resumeLies: readonly Lie[] = (
  [
    {
      lie: 'it went on after the actor was revoked',
      scene: 'paid',
      says: /may be resumed by analyst, and its actor held none/,
      forge: (forgery) => {
        const resumed = forgery.event('ResumeAuthorized')
        forgery.lawBefore(resumed, { kind: 'RoleRevoked', body: { principal: 'ann', role: 'analyst', source: null } })
        resumed.body.roles = []
        return resumed
      },
    },
    {
      lie: 'it went on after the actor was revoked, and claims an older law',
      scene: 'paid',
      says: /the law had gone on long before/,
      forge: (forgery) => {
        const resumed = forgery.event('ResumeAuthorized')
        const at = resumed.at - 3_600_000
        forgery.adds({ at, kind: 'RoleRevoked', body: { principal: 'ann', role: 'analyst', source: null } })
        return resumed
      },
    },
    {
      lie: 'it went on by roles that are made up',
      scene: 'paid',
      says: /it is recorded by treasurer/,
      forge: (forgery) => {
        const resumed = forgery.event('ResumeAuthorized')
        resumed.body.roles = ['treasurer']
        return resumed
      },
    },
    {
      lie: 'something that owns no run let it go on',
      scene: 'paid',
      says: /system:sealer lets no run go on/,
      forge: (forgery) => {
        const resumed = forgery.event('ResumeAuthorized')
        resumed.by = 'system:sealer'
        return resumed
      },
    },
    {
      lie: 'nobody let it go on',
      scene: 'paid',
      says: /that nobody let the run go on from/,
      forge: (forgery) => {
        forgery.drop(forgery.event('ResumeAuthorized'))
        return forgery.event('ActionAuthorized')
      },
    },
    {
      lie: 'nobody let it go on after a statement',
      scene: 'repeated',
      says: /that nobody let the run go on from/,
      forge: (forgery) => {
        forgery.drop(forgery.event('ResumeAuthorized'))
        return forgery.event('ActionAuthorized')
      },
    },
    {
      lie: 'it was let go on from nothing',
      scene: 'paid',
      says: /there was no pause to go on from/,
      forge: (forgery) => forgery.insert(forgery.event('ResumeAuthorized'), {}),
    },
    {
      lie: 'it went on by itself, and should have waited for its user',
      scene: 'deferred',
      says: /waits for the next message of its user/,
      forge: (forgery) => {
        forgery.drop(forgery.event('ResumeDeferred'), forgery.event('ResumeDenied'))
        const resumed = forgery.event('ResumeAuthorized')
        resumed.by = forgery.event('ActionAuthorized').by
        return resumed
      },
    },
    {
      lie: 'somebody else’s message let it go on',
      scene: 'deferred',
      says: /is not the actor of the run/,
      forge: (forgery) => {
        const resumed = forgery.event('ResumeAuthorized')
        resumed.by = 'principal:tom'
        return resumed
      },
    },
    {
      lie: 'a message let go on what did not wait for one',
      scene: 'paid',
      says: /it did not wait for a message/,
      forge: (forgery) => {
        const resumed = forgery.event('ResumeAuthorized')
        resumed.by = 'principal:ann'
        return resumed
      },
    },
    {
      lie: 'it was put off although no contract says so',
      scene: 'paid',
      says: /no contract puts its rest off/,
      forge: (forgery) => {
        const { op, verb, name, contract } = forgery.event('ResumeAuthorized').body
        const body = { op, verb, name, contract }
        const { by } = forgery.event('ResumeAuthorized')
        return forgery.insert(forgery.event('ApprovalResolved'), { kind: 'ResumeDeferred', by, body, data: undefined })
      },
    },
    {
      lie: 'its user was told that they may not, and they might',
      scene: 'deferred',
      says: /its actor might go on with it/,
      forge: (forgery) => {
        const denied = forgery.event('ResumeDenied')
        denied.seen -= 1
        return denied
      },
    },
    {
      lie: 'it went on under a contract that was not in force',
      scene: 'paid',
      says: /names contract/,
      forge: (forgery) => {
        const resumed = forgery.event('ResumeAuthorized')
        resumed.body.contract = 'c'.repeat(64)
        return resumed
      },
    },
  ] satisfies readonly Told[]
).map((told) => ({ ...told, check: 'resumes' }))

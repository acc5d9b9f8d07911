import type { Lie } from './lie.js'

type Told = Omit<Lie, 'check'>

/** Lies about how often. */
export const onceLies: readonly Lie[] = (
  [
    {
      lie: 'it was done twice',
      scene: 'paid',
      says: /its op was over/,
      forge: (forgery) => forgery.insert(forgery.event('ActionCompleted'), {}),
    },
    {
      lie: 'it was authorised again after it was done',
      scene: 'paid',
      says: /its op was over/,
      forge: (forgery) => {
        const { body, data } = forgery.event('ActionAuthorized')
        const again = { kind: 'ActionAuthorized', body: { ...body, attempt: 2 }, data }
        return forgery.insert(forgery.event('ActionCompleted'), again)
      },
    },
    {
      lie: 'it was attempted twice at once',
      scene: 'paid',
      says: /after ActionAuthorized nothing is attempted again/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        return forgery.insert(intent, { body: { ...intent.body, attempt: 2 } })
      },
    },
    {
      lie: 'an approval was used for two ops',
      scene: 'paid',
      says: /the approval of op 1 was used for op 2/,
      forge: (forgery) => {
        const { body, data } = forgery.event('ActionAuthorized')
        const done = forgery.event('ActionCompleted')
        return forgery.insert(done, { kind: 'ActionAuthorized', body: { ...body, op: '9' }, data })
      },
    },
    {
      lie: 'an attempt was left out',
      scene: 'retried',
      says: /it is attempt 2, and not 3/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        intent.body.attempt = 3
        return intent
      },
    },
    {
      lie: 'the second attempt had another input',
      scene: 'retried',
      says: /again with another input/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        intent.data = '{"to":"acme","cents":501}'
        return intent
      },
    },
    {
      lie: 'it was attempted again when its key was forgotten',
      scene: 'retried',
      says: /may have forgotten the key/,
      forge: (forgery) => {
        const intent = forgery.event('ActionAuthorized')
        forgery.later(intent, 2 * 86_400_000)
        return intent
      },
    },
    {
      lie: 'it was attempted again where nobody can look whether it landed',
      scene: 'repeated',
      says: /may have landed, and its destination cannot tell/,
      forge: (forgery) => {
        const doubt = forgery.event('OutcomeUnknown')
        const { op, verb, name, attempt } = doubt.body
        doubt.kind = 'ActionAttemptFailed'
        doubt.body = { op, verb, name, attempt, code: 'Error', delayMs: 1 }
        forgery.drop(forgery.event('OutcomeStated'))
        return forgery.event('ActionAuthorized')
      },
    },
    {
      lie: 'it was attempted again although nobody knew',
      scene: 'repeated',
      says: /after OutcomeUnknown nothing is attempted again/,
      forge: (forgery) => {
        forgery.drop(forgery.event('OutcomeStated'))
        return forgery.event('ActionAuthorized')
      },
    },
    {
      lie: 'it was attempted again although somebody said that it was done',
      scene: 'repeated',
      says: /after OutcomeStated nothing is attempted again/,
      forge: (forgery) => {
        forgery.event('OutcomeStated').body.outcome = 'done'
        return forgery.event('ActionAuthorized')
      },
    },
    {
      lie: 'it was done although the attempt had failed',
      scene: 'retried',
      says: /the attempt had failed/,
      forge: (forgery) => {
        forgery.drop(forgery.event('ActionAuthorized'))
        const done = forgery.event('ActionCompleted')
        done.body.attempt = 1
        return done
      },
    },
    {
      lie: 'it was done, and nobody had said so',
      scene: 'stated',
      says: /nobody has said what came of it/,
      forge: (forgery) => {
        forgery.drop(forgery.event('OutcomeStated'))
        return forgery.event('ActionCompleted')
      },
    },
    {
      lie: 'it was done although somebody said that it had failed',
      scene: 'stated',
      says: /it was stated as failed/,
      forge: (forgery) => {
        forgery.event('OutcomeStated').body.outcome = 'failed'
        return forgery.event('ActionCompleted')
      },
    },
    {
      lie: 'it came to something else than was stated',
      scene: 'stated',
      says: /another than the stated one/,
      forge: (forgery) => {
        const done = forgery.event('ActionCompleted')
        done.data = '{"receipt":"y"}'
        return done
      },
    },
    {
      lie: 'it was done at another attempt',
      scene: 'paid',
      says: /it is of attempt 1, and not 7/,
      forge: (forgery) => {
        const done = forgery.event('ActionCompleted')
        done.body.attempt = 7
        return done
      },
    },
    {
      lie: 'an attempt failed that was never begun',
      scene: 'retried',
      says: /attempt 5 was not under way/,
      forge: (forgery) => {
        const failed = forgery.event('ActionAttemptFailed')
        failed.body.attempt = 5
        return failed
      },
    },
    {
      lie: 'nobody knows of something that was never begun',
      scene: 'stated',
      says: /nothing was begun that could be in doubt/,
      forge: (forgery) => {
        forgery.drop(forgery.event('ActionAuthorized'))
        return forgery.event('OutcomeUnknown')
      },
    },
  ] satisfies readonly Told[]
).map((told) => ({ ...told, check: 'once' }))

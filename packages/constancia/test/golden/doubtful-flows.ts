/** Flows whose effects fail, or of which nobody may know whether they happened. */
import { days, hours, idempotent, once, verify } from '../../dist/index.js'
import { bank } from './effects.js'
import {
  direct,
  type GovernedGolden,
  lookIntoTheTill,
  till,
  toBank,
  toTill,
  transferOf,
  treasury,
} from './governed-treasury.js'

const flaky = transferOf({
  effect: idempotent({ remembersMs: days(30) }),
  send: async (input, attempt) => {
    if (attempt.attempt === 1) throw new Error('Nobody listens.')
    const answer = await toBank(input, attempt)
    if (attempt.attempt === 2) throw new Error('The line was cut after it landed.')
    return answer
  },
})
const retrying = direct('retrying', flaky, 500)

const toTheTill = transferOf({ effect: once(), send: toTill })
const onceOnly = direct('once', toTheTill, 500)

const cutOff = transferOf({
  effect: once(),
  send: async (input, attempt) => {
    const answer = await toTill(input, attempt)
    if (attempt.attempt === 1) throw new Error('The line was cut after it landed.')
    return answer
  },
})
const doubted = direct('doubted', cutOff, 5_000)

const neverSent = transferOf({
  effect: once(),
  send: async (input, attempt) => {
    if (attempt.attempt === 1) throw new Error('The line was cut before anything was sent.')
    return toTill(input, attempt)
  },
})
const notDone = direct('not-done', neverSent, 500)

const verified = transferOf({ effect: verify({ settlesMs: hours(1) }), send: toTill })
const verifying = direct('verifying', verified, 500)

const base = { input: undefined, destination: bank } as const

const shortMemory = transferOf({ effect: idempotent({ remembersMs: days(1) }), send: toTill })
const late = direct('forgotten', shortMemory, 500)

/** Of which a destination remembers no key for as long as its process is gone. */
export const forgotten: GovernedGolden = {
  ...base,
  flow: late,
  contract: treasury(late, shortMemory),
  destination: till,
  statements: lookIntoTheTill,
  has: ['ActionAuthorized', 'ActionCompleted'],
  acceptedCount: 1,
}

/** Each of them. */
export const doubtfulFlows: readonly GovernedGolden[] = [
  {
    ...base,
    flow: retrying,
    contract: treasury(retrying, flaky),
    has: ['ActionAttemptFailed', 'ActionCompleted'],
    acceptedCount: 1,
  },
  {
    ...base,
    flow: onceOnly,
    contract: treasury(onceOnly, toTheTill),
    destination: till,
    statements: lookIntoTheTill,
    has: ['ActionAuthorized', 'ActionCompleted'],
    acceptedCount: 1,
    downtimeMs: days(3),
  },
  {
    ...base,
    flow: doubted,
    contract: treasury(doubted, cutOff),
    destination: till,
    votes: [{ on: 'bank.transfer', voter: 'tess' }],
    statements: lookIntoTheTill,
    has: ['ActionAuthorized', 'ActionCompleted'],
    acceptedCount: 1,
  },
  {
    ...base,
    flow: notDone,
    contract: treasury(notDone, neverSent),
    destination: till,
    statements: lookIntoTheTill,
    has: ['ActionAuthorized', 'ActionCompleted'],
    acceptedCount: 1,
  },
  {
    ...base,
    flow: verifying,
    contract: treasury(verifying, verified),
    destination: till,
    statements: lookIntoTheTill,
    has: ['ActionAuthorized', 'ActionCompleted'],
    acceptedCount: 1,
    downtimeMs: days(3),
  },
]

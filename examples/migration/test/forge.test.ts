import { describe, expect, it } from 'vitest'
import { Forge } from '../dist/forge.js'

const pull = { title: 'One', branch: 'modern/one', commit: 'abc', fileCount: 1 }

describe('the forge', () => {
  it('opens one pull request for a key, however often it is asked', () => {
    const forge = new Forge()
    expect(forge.open(pull, 'a')).toEqual({ status: 201, body: { number: 1 } })
    expect(forge.open(pull, 'a')).toEqual({ status: 200, body: { number: 1 } })
    expect(forge.ledger.pulls).toEqual([{ ...pull, number: 1, key: 'a', requests: 2 }])
    expect(forge.ledger.requests).toBe(2)
  })

  it('refuses a key that comes with another pull request', () => {
    const forge = new Forge()
    forge.open(pull, 'a')
    expect(forge.open({ ...pull, commit: 'other' }, 'a').status).toBe(409)
    expect(forge.ledger).toMatchObject({ requests: 2, refused: 1, pulls: [{ commit: 'abc', requests: 1 }] })
  })

  it('opens one for every request without a key', () => {
    const forge = new Forge()
    forge.open(pull, undefined)
    forge.open(pull, undefined)
    expect(forge.ledger.pulls.map(({ number }) => number)).toEqual([1, 2])
  })

  it('refuses what is no pull request', () => {
    const forge = new Forge()
    expect(forge.open({} as typeof pull, 'a').status).toBe(422)
    expect(forge.ledger).toEqual({ requests: 1, refused: 1, pulls: [] })
  })
})

import type { Run } from 'constancia'
import { Rig, type StoreName, untilStatus } from '../engine/rig.js'
import { Court } from './court.js'
import { Bank, type TreasuryOptions, treasury } from './treasury.js'

/** A bank, a contract in force, an analyst and a treasurer, and one process. */
export async function begin(store: StoreName, given: TreasuryOptions = {}) {
  const rig = new Rig(store)
  const bank = new Bank()
  const made = treasury(bank, given)
  const life = await rig.live([made.pay, made.direct], { contract: made.contract })
  const court = new Court(() => life.store)
  await court.activate(made.contract)
  await court.grant('ann', 'analyst')
  await court.grant('tom', 'treasurer')
  const pays = async (cents: number): Promise<Run> => {
    const run = await life.runtime.start(made.pay, { invoice: String(cents) }, { id: 'r', actor: 'ann' })
    await untilStatus(run, 'paused')
    return run
  }
  const pay = (cents: number): Promise<Run> => life.runtime.start(made.direct, { cents }, { id: 'r', actor: 'ann' })
  return { rig, bank, life, court, pays, pay, made }
}

/** The body of the last event of a kind. */
export async function bodyOf(run: Run, kind: string): Promise<Record<string, unknown>> {
  const event = (await run.events()).findLast((each) => each.kind === kind)
  return event === undefined ? {} : JSON.parse(event.body)
}

/** What a run failed with. */
export async function failureOf(run: Run): Promise<{ code: string; message: string }> {
  const error = await run.result().then(
    () => new Error('It did not fail.'),
    (reason: Error) => reason,
  )
  return (error.cause ?? error) as never
}

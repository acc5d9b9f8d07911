import { describe, expect, test } from 'vitest'
import type { Statement } from '../../dist/governance/approvals/statement.js'
import { draftOf } from '../../dist/governance/kinds.js'
import type { OpId } from '../../dist/journal/index.js'
import { stores } from '../engine/rig.js'
import { completed } from './drafts.js'
import { refusal, World } from './world.js'

const about = (name: string) => ({ op: '0' as OpId, verb: 'do', name })

/** A run whose effect has an unknown outcome. */
async function inDoubt(world: World, name = 'bank.transfer', actor = 'ana'): Promise<Pick<Statement, 'run' | 'op'>> {
  const run = await world.run(actor)
  const authorized = { ...about(name), attempt: 1, contract: '-', rule: 0, roles: ['analyst'] }
  await world.append(
    run,
    draftOf('ActionAuthorized', authorized, '{}'),
    draftOf('OutcomeUnknown', { ...about(name), attempt: 1, protocol: 'once' }, '"lost"'),
  )
  return { run, op: '0' }
}

describe.each(stores)('on %s, the statement of an unknown outcome', (store) => {
  const governed = (): Promise<World> =>
    World.governed(store, { tom: ['treasurer'], ana: ['analyst', 'treasurer'], cleo: ['cfo'] })

  const expectRefused = async (world: World, statement: Statement, reason: string, stands: string): Promise<void> => {
    const refused = await refusal(world.governance.state(statement))
    expect(refused).toMatchObject({ code: 'vote_refused', details: { reason, stands } })
    expect(await world.lastRefusal()).toMatchObject({
      by: `principal:${statement.stater}`,
      body: { run: statement.run, op: statement.op, choice: statement.outcome, code: reason, stands },
    })
  }

  test('R-B6 is for those who approve the action, and never for the actor whom that rule keeps out', async () => {
    const world = await governed()
    const doubt = await inDoubt(world)
    await expectRefused(world, { ...doubt, stater: 'cleo', outcome: 'done' }, 'role_missing', 'unknown')
    await expectRefused(world, { ...doubt, stater: 'ada', outcome: 'done' }, 'role_missing', 'unknown')
    await expectRefused(world, { ...doubt, stater: 'ana', outcome: 'not_done' }, 'own_request', 'unknown')
    const said = {
      ...doubt,
      stater: 'tom',
      outcome: 'done' as const,
      output: { receipt: 'r1' },
      note: 'asked',
      delivery: 'd1',
    }
    expect(await world.governance.state(said)).toEqual({ roles: ['treasurer'] })
    const event = (await world.events(doubt.run as never)).at(-1)
    expect(event).toMatchObject({
      kind: 'OutcomeStated',
      by: 'principal:tom',
      data: '{"note":"asked","output":{"receipt":"r1"}}',
    })
    expect(JSON.parse(event?.body ?? '')).toEqual({
      ...about('bank.transfer'),
      stater: 'tom',
      outcome: 'done',
      delivery: 'd1',
      roles: ['treasurer'],
    })
  })

  test('R-B6 is for administrators where no rule asks for an approval of the action', async () => {
    const world = await governed()
    const doubt = await inDoubt(world, 'notify')
    await expectRefused(world, { ...doubt, stater: 'tom', outcome: 'failed' }, 'role_missing', 'unknown')
    expect(await world.governance.state({ ...doubt, stater: 'ada', outcome: 'failed' })).toEqual({
      roles: ['administrator'],
    })
  })

  test('R-A10 R-D6 counts once: the same delivery is answered as before, another statement is told what stands', async () => {
    const world = await governed()
    const doubt = await inDoubt(world)
    const said = { ...doubt, stater: 'tom', outcome: 'not_done' as const, delivery: 'd1' }
    await world.governance.state(said)
    expect(await (await world.another()).state(said)).toEqual({ roles: ['treasurer'] })
    await expectRefused(world, { ...said, outcome: 'done', output: {} }, 'delivery_used', 'not_done')
    await expectRefused(world, { ...said, delivery: 'd2' }, 'nothing_unknown', 'not_done')
    expect((await world.events(doubt.run as never)).length).toBe(4)
  })

  test('is refused where nothing is unknown, nobody knows the run, it has ended, or the output does not fit', async () => {
    const world = await governed()
    const doubt = await inDoubt(world)
    const said = { ...doubt, stater: 'tom', outcome: 'done' as const }
    await expectRefused(world, { ...said, op: '1' }, 'nothing_unknown', 'nothing')
    await expectRefused(world, { ...said, run: 'nowhere' }, 'unknown_run', 'nothing')
    await expectRefused(world, { ...said, output: 'text' }, 'output_unfit', 'unknown')
    await expectRefused(world, { ...said, outcome: 'failed', output: {} }, 'output_unfit', 'unknown')
    expect(await refusal(world.governance.state({ ...said, outcome: 'maybe' as 'done' }))).toMatchObject({
      code: 'invalid_option',
    })
    await world.append(doubt.run as never, completed)
    await expectRefused(world, said, 'run_ended', 'completed')
  })

  test('R-E11 of somebody who lost the role first is refused, and one stays open after a cancel', async () => {
    const world = await governed()
    const doubt = await inDoubt(world)
    const other = await world.another()
    await other.law()
    await world.revoke('tom', 'treasurer')
    const late = { ...doubt, stater: 'tom', outcome: 'done' as const, output: {} }
    expect(await refusal(other.state(late))).toMatchObject({ details: { reason: 'role_missing' } })
    await world.cancel(doubt.run as never)
    await world.grant('eve', 'treasurer')
    expect(await other.state({ ...late, stater: 'eve' })).toEqual({ roles: ['treasurer'] })
  })
})

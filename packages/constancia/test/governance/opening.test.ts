import { action, allow, contract, flow, once, open, verify } from 'constancia'
import { memory, memoryDisk } from 'constancia/testing'
import { expect, test } from 'vitest'
import { z } from 'zod'

const pay = action({ name: 'pay', input: z.object({ cents: z.number().int() }), effect: once(), run: () => undefined })
const paying = flow({ name: 'paying', version: 1, resume: 'anyone', models: 'none', run: async () => 'done' })

function withRule(when: string) {
  const rules = [allow(pay).to('clerk').when(when)]
  return contract({ name: 'c', version: '1', roles: { clerk: 'pays' }, flows: [paying], rules })
}

test.each([
  ["input.cents == 'many'", 'does not fit the input'],
  ['input.dollars > 1', 'does not fit the input'],
  ['input.cents', 'only a bool'],
])('R-F1 the condition %s is rejected with its place when its contract is opened', async (when, reason) => {
  const made = withRule(when)
  const opening = open({ store: memory(memoryDisk()), flows: [paying], contract: made, worker: false })
  const error = await opening.then(
    () => undefined,
    (fault: Error) => fault,
  )
  expect(error).toMatchObject({ code: 'invalid_contract' })
  expect(error?.message).toContain('rule 1 (pay)')
  expect(error?.message).toContain(reason)
})

test('R-F1 a condition whose types fit is taken', async () => {
  const made = withRule("input.cents <= 100 && 'clerk' in actor.roles")
  const runtime = await open({ store: memory(memoryDisk()), flows: [paying], contract: made, worker: false })
  await runtime.close()
})

test('R-B6 an action that is verified by asking has to say how', () => {
  const effect = verify({ settlesMs: 1_000 })
  const mute = action({ name: 'mute', input: z.object({}), effect, run: () => undefined })
  const rules = [allow(mute).to('clerk')]
  const make = () => contract({ name: 'c', version: '1', roles: { clerk: 'pays' }, flows: [paying], rules })
  expect(make).toThrow('action mute')
  expect(make).toThrow('find')
})

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { draftOf } from '../../dist/journal/index.js'
import { rawConnection } from './raw.js'
import { create, idOf } from './storage.js'
import { makeFolder, openSqlite } from './stores.js'

const policy = { roles: ['cfo'], quorum: 1, withinMs: 9, escalation: null }
const asked = { op: '0', verb: 'approval', name: 'pay', action: null, contract: '-', rule: null, policy, shown: 'ab' }

test('R-A2 approvals that were lost or forged in the file are computed anew by a rebuild, and go with their journal', async () => {
  const folder = makeFolder()
  const file = join(folder, 'runs.db')
  const store = await openSqlite({ file })
  const drafts = [{ kind: 'ApprovalRequested', body: JSON.stringify(asked), data: '"?"' }]
  for (const run of ['r1', 'r2', 'r3']) {
    await create(store, run)
    const decide = () => ({ drafts, result: 0 })
    await store.decide({ run: idOf(run), delivery: undefined, by: 'principal:bob', seen: '-/-', decide })
  }
  const before = await store.approvals({})
  expect(before.items.length).toBe(3)
  const raw = rawConnection(file)
  raw.exec("UPDATE approvals SET votes = 7, status = 'approved' WHERE run = 'r1'")
  raw.exec("DELETE FROM approvals WHERE run = 'r2'")
  raw.exec(`INSERT INTO approvals SELECT stream, run, '5', name, action, roles, more_roles, quorum, votes, requested_at, deadline,
    escalates_at, status, shown FROM approvals WHERE run = 'r3'`)
  expect(await store.approvals({})).not.toEqual(before)
  await store.rebuild()
  expect(await store.approvals({})).toEqual(before)
  const ending = [draftOf('FlowCompleted', {}, '1')]
  const end = () => ({ drafts: ending, result: 0 })
  await store.decide({ run: idOf('r1'), delivery: undefined, by: 'principal:bob', seen: '-/-', decide: end })
  await store.purge({ runs: [idOf('r1')], by: 'principal:bob' })
  expect(raw.prepare('SELECT run FROM approvals ORDER BY run').all()).toEqual([{ run: 'r2' }, { run: 'r3' }])
  raw.close()
  await store.close()
  rmSync(folder, { recursive: true })
})

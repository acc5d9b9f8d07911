// @ts-check
// A worker on the SQLite file of a project that is about to be moved. It is told by `{ folder }` and is killed.
import { open } from 'constancia'
import { sqlite } from 'constancia/sqlite'
import { movingProject } from './moving-flows.mjs'

process.once('disconnect', () => process.exit())
const { folder } = JSON.parse(process.argv[2] ?? '')
const { stalled } = movingProject(folder)
await open({
  store: sqlite({ file: `${folder}/app.db` }),
  flows: [stalled],
  worker: { pollMs: 20 },
  log: () => undefined,
})

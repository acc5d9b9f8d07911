/**
 * Keeps one PostgreSQL for the tests that one process starts: `keeper.mjs <folder> <pid>`. Writes where it is to `ready.json` in
 * the folder, and ends it, and itself, once that process is gone, however it ended.
 */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startServer } from './server.mjs'

const [folder, pid] = process.argv.slice(2)

try {
  const server = await startServer(join(folder, 'data'))
  writeFileSync(join(folder, 'ready.tmp'), JSON.stringify({ url: server.url, pid: process.pid }))
  renameSync(join(folder, 'ready.tmp'), join(folder, 'ready.json'))
  while (isAlive(Number(pid)) && existsSync(folder)) await pause(300)
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
} catch (error) {
  writeFileSync(join(folder, 'ready.tmp'), JSON.stringify({ error: String(error?.stack ?? error) }))
  renameSync(join(folder, 'ready.tmp'), join(folder, 'ready.json'))
  process.exitCode = 1
}

function isAlive(id) {
  try {
    process.kill(id, 0)
    return true
  } catch {
    return false
  }
}

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { flow, open } from 'constancia'
import { postgres } from 'constancia/postgres'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emptyHead, runStream, verifyChain } from '../../dist/journal/index.js'
import { startServer } from './server.mjs'

interface Server {
  readonly url: string
  stop(): Promise<void>
  kill(): Promise<void>
}

const folder = mkdtempSync(join(tmpdir(), 'constancia-server-'))
const crashCount = 5
let server: Server

beforeAll(async () => {
  server = await startServer(join(folder, 'data'))
}, 120_000)

afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true, force: true })
})

// What is left of the processes that were killed may hold on to shared memory for a moment.
async function startAgain(): Promise<Server> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await startServer(join(folder, 'data'))
    } catch (error) {
      if (tries === 50) throw error
      await pause(100)
    }
  }
}

test(`T7 C46 PostgreSQL ends by SIGKILL ${crashCount} times under load: no run fails, no event is lost, no step is executed twice`, {
  timeout: 240_000,
}, async () => {
  const executed = new Map<string, number>()
  const works = flow({
    name: 'works',
    version: 1,
    async run(ctx, no: number) {
      for (let step = 0; step < 8; step += 1) {
        await ctx.step(`step ${step}`, ({ key }) => {
          executed.set(key, (executed.get(key) ?? 0) + 1)
          return step
        })
      }
      return no
    },
  })
  const lines: string[] = []
  const log = (level: string, message: string): void => void lines.push(`${level} ${message}`)
  const runtime = await open({
    store: postgres({ url: server.url }),
    flows: [works],
    worker: { concurrency: 16 },
    // Nothing is lost, and nothing may be taken for lost.
    mark: join(folder, 'works.mark'),
    log,
  })
  const acknowledged: string[] = []
  let isOver = false
  const starting = (async () => {
    for (let first = 0; !isOver; first += 4) {
      const some = [0, 1, 2, 3].map((more) => runtime.start(works, first + more, { id: `r${first + more}` }))
      acknowledged.push(...(await Promise.all(some)).map(({ id }) => id))
      await pause(5)
    }
  })()
  for (let count = 0; count < crashCount; count += 1) {
    await pause(400)
    await server.kill()
    await pause(150)
    server = await startAgain()
  }
  await pause(200)
  isOver = true
  await starting
  expect(acknowledged.length).toBeGreaterThan(crashCount * 4)
  for (const [no, id] of acknowledged.entries()) expect(await runtime.run(id).result()).toBe(no)
  for (const id of acknowledged) {
    const events = await runtime.run(id).events()
    const stream = runStream(id as never)
    expect(verifyChain(stream, emptyHead(stream), events).seq).toBe(9)
  }
  expect([...executed].filter(([, count]) => count > 1)).toEqual([])
  expect(executed.size).toBe(acknowledged.length * 8)
  // It is said once each time, and not for each run.
  expect(lines.length).toBeLessThan(crashCount * 8)
  expect(await runtime.loss()).toBeUndefined()
  await runtime.close()
})

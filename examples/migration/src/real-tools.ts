import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import type { Tools } from './flow.js'
import type { Repository } from './repository.js'

/** The agent's tools for real: a repository on disk, a forge and a model over HTTP. */
export function realTools(repository: Repository, url: string): Tools {
  return {
    listFiles: async (folder) => repository.listFiles(folder),
    readFile: async (file) => repository.readFile(file),
    askModel: (question) => post(`${url}/model`, question),
    commit: (change, key) => repository.commit(change, key),
    openPull: async (pull, key) => {
      const { number } = await post<{ number: number }>(`${url}/pulls`, pull, key)
      return number
    },
  }
}

const connections = new Agent({ keepAlive: true })

// Whoever works without a journal has no key that would be the same the next time: then none is sent.
async function post<T>(url: string, body: unknown, key = ''): Promise<T> {
  const headers = { 'content-type': 'application/json', ...(key === '' ? {} : { 'idempotency-key': key }) }
  const call = request(url, { method: 'POST', headers, agent: connections }).end(JSON.stringify(body))
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  const answer = (await json(response)) as T & { error?: string }
  const status = response.statusCode ?? 0
  if (status >= 300) throw new Error(`${url} answered ${status}: ${answer.error}`)
  return answer
}

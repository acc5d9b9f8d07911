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

// Whoever works without a journal has no key that would be the same the next time: then none is sent.
async function post<T>(url: string, body: unknown, key = ''): Promise<T> {
  const headers = { 'content-type': 'application/json', ...(key === '' ? {} : { 'idempotency-key': key }) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const answer = (await response.json()) as T & { error?: string }
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${answer.error}`)
  return answer
}

// @ts-check
// How the flows of these tests reach the ledger: one request an effect, over connections that are kept.
import { Agent, request } from 'node:http'

const agent = new Agent({ keepAlive: true })

/**
 * Sends an effect under the attempt's key and returns what the ledger kept for it.
 *
 * @param {string} url
 * @param {{ readonly key: string, readonly epoch?: number }} attempt its epoch goes with it, as a fencing token, if it is there
 * @param {unknown} body
 * @returns {Promise<any>}
 */
export function send(url, { key, epoch }, body) {
  const token = epoch === undefined ? {} : { 'fencing-token': String(epoch) }
  const headers = { 'idempotency-key': key, 'content-type': 'application/json', ...token }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () => {
        if (response.statusCode === 200) resolve(JSON.parse(text))
        else reject(new Error(`The ledger answered ${response.statusCode}: ${text}`))
      })
      response.on('error', reject)
    })
    sent.on('error', reject).end(JSON.stringify(body))
  })
}

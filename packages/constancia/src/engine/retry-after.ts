/**
 * Reads how long a destination asked us to wait, from an error as clients throw it: `retryAfterMs`, `retryAfter`, or a
 * `retry-after` header (RFC 9110, section 10.2.3) in `headers`, `responseHeaders` or `response.headers`, on the error or on
 * what caused it. Undefined for nothing or nonsense. Never throws, whatever the error is.
 */
export function retryAfterMs(error: unknown, nowMs: number): number | undefined {
  try {
    for (let current = error, depth = 0; isObject(current) && depth < 5; current = current['cause'], depth += 1) {
      const asked = readFrom(current, nowMs)
      if (asked !== undefined) return asked
    }
  } catch {
    // A getter of the error threw: it asked for nothing that can be read.
  }
  return undefined
}

function readFrom(error: Record<string, unknown>, nowMs: number): number | undefined {
  const direct = error['retryAfterMs']
  if (typeof direct === 'number') return atLeastZero(direct)
  const response = error['response']
  const holders = [error['headers'], error['responseHeaders'], isObject(response) ? response['headers'] : undefined]
  for (const value of [error['retryAfter'], ...holders.map(headerOf)]) {
    const asked = parseRetryAfter(value, nowMs)
    if (asked !== undefined) return asked
  }
  return undefined
}

function headerOf(headers: unknown): unknown {
  if (!isObject(headers)) return undefined
  const get = headers['get']
  if (typeof get === 'function') return get.call(headers, 'retry-after')
  const name = Object.keys(headers).find((key) => key.toLowerCase() === 'retry-after')
  return name === undefined ? undefined : headers[name]
}

/** Seconds or an HTTP date as milliseconds from now; undefined for nonsense and for dates that are past. */
export function parseRetryAfter(value: unknown, nowMs: number): number | undefined {
  if (typeof value === 'number') return atLeastZero(value * 1_000)
  if (value instanceof Date) return untilDate(value.getTime(), nowMs)
  if (typeof value !== 'string') return undefined
  const text = value.trim()
  if (/^\d{1,15}$/.test(text)) return Number(text) * 1_000
  return /^[A-Za-z]{3,9},? /.test(text) ? untilDate(Date.parse(text), nowMs) : undefined
}

function untilDate(dateMs: number, nowMs: number): number | undefined {
  return dateMs > nowMs ? dateMs - nowMs : undefined
}

function atLeastZero(ms: number): number | undefined {
  return ms >= 0 && ms < Infinity ? ms : undefined
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from 'vitest'
import { decodeValue, encodeError, encodeValue, isPermanent, PermanentError } from '../../dist/journal/index.js'
import { options } from './options.js'

class CardStolen extends PermanentError {
  readonly code = 'stolen'
}
const wrap = (cause: unknown, times: number): unknown =>
  times === 0 ? cause : new Error('wrapped', { cause: wrap(cause, times - 1) })

const folder = mkdtempSync(join(tmpdir(), 'constancia-copy-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** The package loaded a second time, from another place. */
async function secondCopy(): Promise<{ PermanentError: typeof PermanentError }> {
  const journal = fileURLToPath(new URL('../../dist/journal', import.meta.url))
  for (const file of ['permanent.js', 'property.js']) {
    const code = readFileSync(join(journal, file), 'utf8')
    writeFileSync(join(folder, file), code.replace(/^\/\/# sourceMappingURL.*$/m, ''))
  }
  cpSync(fileURLToPath(new URL('../../package.json', import.meta.url)), join(folder, 'package.json'))
  return (await import(/* @vite-ignore */ pathToFileURL(join(folder, 'permanent.js')).href)) as never
}

describe('C12 an error that no retry can mend is known as one', () => {
  test('C12 directly, as a subclass and as a cause', () => {
    const stolen = new CardStolen('m')
    for (const error of [new PermanentError('m'), stolen, wrap(stolen, 1), wrap(stolen, 50)]) {
      expect(isPermanent(error)).toBe(true)
      expect(isPermanent(decodeValue(encodeError(error, options)))).toBe(true)
    }
  })

  test('C12 from a second loaded copy of the package', async () => {
    const copy = await secondCopy()
    expect(copy.PermanentError).not.toBe(PermanentError)
    const error = new copy.PermanentError('m')
    expect([error instanceof PermanentError, isPermanent(error)]).toEqual([false, true])
    expect(decodeValue(encodeError(error, options))).toBeInstanceOf(PermanentError)
  })

  test('C12 R-B10 the mark, the class and the name of a subclass survive the journal', () => {
    for (const text of [encodeError(new CardStolen('m'), options), encodeValue(new CardStolen('m'), options)]) {
      const copy = decodeValue(text) as CardStolen
      expect(copy).toBeInstanceOf(PermanentError)
      expect([copy.name, copy.message, copy.code, isPermanent(copy)]).toEqual(['CardStolen', 'm', 'stolen', true])
    }
    expect(new PermanentError('m').name).toBe('PermanentError')
    const marked = Object.assign(new TypeError('m'), { [Symbol.for('constancia.permanent')]: true })
    const copy = decodeValue(encodeError(marked, options))
    expect([copy instanceof TypeError, isPermanent(copy)]).toEqual([true, true])
  })

  test('C12 the mark survives where the chain of causes is cut', () => {
    const text = encodeError(wrap(new PermanentError('m'), 20), options)
    expect(text).toContain('a longer chain')
    expect(isPermanent(decodeValue(text))).toBe(true)
    const tight = { ...options, limits: { ...options.limits, textBytesMax: 100 } }
    expect(isPermanent(decodeValue(encodeError(new PermanentError('m'.repeat(9e5)), tight)))).toBe(true)
  })

  test('C12 nothing else is permanent, and nothing that is asked about has its code run', () => {
    const circle = new Error('m')
    circle.cause = circle
    const trap = () => expect.unreachable()
    const hostile = new Proxy(new PermanentError('m'), {
      get: trap,
      getPrototypeOf: trap,
      getOwnPropertyDescriptor: trap,
    })
    const getter = Object.defineProperty(new Error(), 'cause', { get: trap })
    const branded = Object.defineProperty(new Error(), Symbol.for('constancia.permanent'), { get: trap })
    const others = [undefined, null, 'permanent', 5, {}, new Error('m'), circle, wrap(new PermanentError('m'), 100)]
    for (const value of [...others, hostile, getter, branded, Object.create(hostile), () => 1]) {
      expect(isPermanent(value)).toBe(false)
    }
  })
})

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TokenResult } from '../../dist/index.js'
import { threeRuns } from '../bundle/cases/case.js'
import { authorityExtensions, hasOpenssl, Openssl, stampExtensions } from './authority.js'

/** A token, what it should be over, whom the verifier trusts, and what has to come of it. */
export interface TokenCase {
  readonly name: string
  /** Base64, as all bytes here. */
  readonly token: string
  readonly anchors: readonly string[]
  readonly result: TokenResult['kind']
  /** What has to be said of why. */
  readonly why?: string
}

/** Tokens and the text that they are over: the last checkpoint of the log of the vectors. */
export interface TokenCases {
  readonly text: string
  readonly cases: readonly TokenCase[]
}

const file = fileURLToPath(new URL('tokens.json', import.meta.url))

/** The text of the last checkpoint of the log of three runs. */
export function stampedText(): string {
  return threeRuns().sealed.at(-1)?.note.text ?? ''
}

/** Those that were made by `openssl` once and are kept. With `CONSTANCIA_WRITE_TOKENS=1` they are made anew. */
export function keptTokens(): TokenCases {
  if (process.env['CONSTANCIA_WRITE_TOKENS'] === '1' || !existsSync(file)) {
    if (!hasOpenssl) throw new Error('Tokens are made by openssl, version 3, which is not here.')
    writeFileSync(file, `${JSON.stringify(madeTokens(stampedText()), undefined, 1)}\n`)
  }
  return JSON.parse(readFileSync(file, 'utf8')) as TokenCases
}

/** Makes them by `openssl`: all of them, or one of each sort. */
export function madeTokens(text: string, isAll = true): TokenCases {
  const openssl = new Openssl()
  try {
    const cases = [...honest(openssl, text), ...otherwise(openssl, text)]
    return {
      text,
      cases: cases.filter(({ name }) => isAll || few.has(name)).map(({ make, ...rest }) => ({ ...rest, ...make() })),
    }
  } finally {
    openssl.close()
  }
}

const few = new Set([
  'good',
  'good-through-another',
  'over-something-else',
  'of-another-authority',
  'signed-by-another-key',
  'of-an-expired-certificate',
  'for-servers',
  'that-names-no-certificate',
  'cut',
])

/** A case whose token is made only if it is wanted. */
type Making = Pick<TokenCase, 'name' | 'result' | 'why'> & {
  readonly make: () => Pick<TokenCase, 'token' | 'anchors'>
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

function honest(openssl: Openssl, text: string): Making[] {
  const root = openssl.certificate({ name: 'root', key: 'rsa', extensions: authorityExtensions })
  const stamps = openssl.certificate({ name: 'stamps', by: 'root', key: 'rsa', extensions: stampExtensions })
  const token = openssl.token('stamps', text)
  const throughAnother = () => {
    const middle = openssl.certificate({ name: 'middle', by: 'root', key: 'P-384', extensions: authorityExtensions })
    openssl.certificate({ name: 'below', by: 'middle', extensions: stampExtensions })
    return { middle, below: openssl.token('below', text, ['-chain', 'middle.pem']) }
  }
  const valid = (name: string, make: () => readonly [token: Uint8Array, anchor: Uint8Array]): Making => ({
    name,
    result: 'valid',
    make: () => {
      const [made, anchor] = make()
      return { token: base64(made), anchors: [base64(anchor)] }
    },
  })
  return [
    valid('good', () => [token, root]),
    valid('good-by-its-own-certificate', () => [token, stamps]),
    valid('good-through-another', () => [throughAnother().below, root]),
    valid('good-through-another-that-was-given', () => {
      const { below, middle } = throughAnother()
      return [below, middle]
    }),
    valid('good-of-a-curve', () => {
      openssl.certificate({ name: 'curve', by: 'root', extensions: stampExtensions })
      return [openssl.token('curve', text), root]
    }),
    valid('good-with-sha-512', () => [openssl.resigned(token, 'stamps', ['-cades', '-md', 'sha512']), root]),
  ]
}

type Times = { readonly from?: string; readonly until?: string; readonly by?: string }

function otherwise(openssl: Openssl, text: string): Making[] {
  const derOf = (name: string) => openssl.run('x509', '-in', `${name}.pem`, '-outform', 'DER')
  const root = base64(derOf('root'))
  const good = openssl.token('stamps', text)
  const odd = (name: string, extensions: readonly string[], times: Times = {}) => {
    openssl.certificate({ name, by: 'root', extensions, ...times })
    return openssl.resigned(good, name)
  }
  const refused = (name: string, why: string, make: () => Uint8Array): Making => ({
    name,
    result: 'refused',
    why,
    make: () => ({ token: base64(make()), anchors: [root] }),
  })
  const untrusted = (name: string, make: Making['make']): Making => ({
    name,
    result: 'not_evaluated',
    why: 'no given certificate vouches',
    make,
  })
  const leaf = () => openssl.certificate({ name: 'leaf', by: 'root', extensions: ['basicConstraints=CA:false'] })
  const purpose = 'extendedKeyUsage=critical,timeStamping'
  const key = 'keyUsage=critical,digitalSignature'
  return [
    refused('over-something-else', 'something else than this checkpoint', () => openssl.token('stamps', `${text}\n`)),
    untrusted('of-another-authority', () => {
      const stranger = openssl.certificate({ name: 'stranger', extensions: authorityExtensions })
      return { token: base64(good), anchors: [base64(stranger)] }
    }),
    untrusted('of-nobody', () => ({ token: base64(good), anchors: [base64(leaf())] })),
    untrusted('below-no-authority', () => {
      leaf()
      return { token: base64(odd('lower', stampExtensions, { by: 'leaf' })), anchors: [root] }
    }),
    refused('signed-by-another-key', 'signature is wrong', () =>
      withSignatureOf(good, openssl.token('stamps', 'another')),
    ),
    refused('of-an-expired-certificate', 'was not valid', () =>
      odd('old', stampExtensions, { until: '20010101000000Z' }),
    ),
    refused('of-a-certificate-of-later', 'was not valid', () =>
      odd('later', stampExtensions, { from: '20440101000000Z' }),
    ),
    refused('for-servers', 'not for time stamps', () => odd('servers', ['extendedKeyUsage=critical,serverAuth', key])),
    refused('for-time-stamps-and-more', 'not for time stamps', () => odd('more', [`${purpose},codeSigning`, key])),
    refused('for-time-stamps-but-not-critically', 'not for time stamps', () =>
      odd('lax', ['extendedKeyUsage=timeStamping', key]),
    ),
    refused('for-nothing-in-particular', 'not for time stamps', () => odd('plain', [key])),
    refused('by-a-key-for-other-things', 'not for signatures', () =>
      odd('other', [purpose, 'keyUsage=critical,keyEncipherment']),
    ),
    refused('that-names-no-certificate', 'ESSCertIDv2', () => openssl.resigned(good, 'stamps', [])),
    refused('with-its-certificate-left-out', 'neither in it', () =>
      openssl.resigned(good, 'stamps', ['-cades', '-nocerts']),
    ),
    refused('cut', 'beyond the end', () => good.subarray(0, -1)),
    refused('with-something-behind-it', 'behind', () => Buffer.concat([good, Buffer.of(0)])),
  ]
}

// Both end with the 256 bytes of a signature.
function withSignatureOf(token: Buffer, other: Buffer): Buffer {
  return Buffer.concat([token.subarray(0, -256), other.subarray(-256)])
}

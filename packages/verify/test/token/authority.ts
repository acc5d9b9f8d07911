import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether the command `openssl` is here, in a version that makes time stamps as they are made today. */
export const hasOpenssl = /^OpenSSL 3/.test(String(spawnSync('openssl', ['version']).stdout ?? ''))

/** What a certificate is made with. */
export interface CertificateRequest {
  readonly name: string
  /** Who vouches for it; itself unless set. */
  readonly by?: string
  /** Of a curve unless set: an RSA key takes a hundred times as long to make. */
  readonly key?: 'rsa' | 'P-256' | 'P-384'
  /** Lines of extensions. */
  readonly extensions: readonly string[]
  /** As `YYYYMMDDHHMMSSZ`; 2000 to 2045 unless set. */
  readonly from?: string
  readonly until?: string
}

/** The extensions of a certificate that vouches for others. */
export const authorityExtensions = ['basicConstraints=critical,CA:true', 'keyUsage=critical,keyCertSign']
/** The extensions of one that signs time stamps. */
export const stampExtensions = ['extendedKeyUsage=critical,timeStamping', 'keyUsage=critical,digitalSignature']

/** Certificates and time stamps made by the command `openssl`, in a folder of their own. */
export class Openssl {
  readonly folder = mkdtempSync(join(tmpdir(), 'constancia-tsa-'))

  constructor() {
    writeFileSync(join(this.folder, 'tsa.cnf'), configuration)
    writeFileSync(join(this.folder, 'serial'), '01\n')
    writeFileSync(join(this.folder, 'index'), '')
    writeFileSync(join(this.folder, 'number'), '1000\n')
  }

  /** Runs it, in the folder. */
  run(...words: string[]): Buffer {
    return execFileSync('openssl', words, { cwd: this.folder, stdio: ['ignore', 'pipe', 'pipe'] })
  }

  close(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }

  /** Makes a key and its certificate, and returns that in DER. */
  certificate({
    name,
    by = name,
    key = 'P-256',
    extensions,
    from = '20000101000000Z',
    until = '20450101000000Z',
  }: CertificateRequest): Buffer {
    const algorithm = key === 'rsa' ? ['rsa:2048'] : ['ec', '-pkeyopt', `ec_paramgen_curve:${key}`]
    this.run(
      'req',
      '-newkey',
      ...algorithm,
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      `/O=Time/CN=${name}`,
    )
    writeFileSync(join(this.folder, `${name}.ext`), `${extensions.join('\n')}\n`)
    const signing = by === name ? ['-selfsign'] : ['-cert', `${by}.pem`]
    const days = ['-startdate', from, '-enddate', until]
    const issued = ['-batch', '-notext', '-in', `${name}.csr`, '-out', `${name}.pem`, '-extfile', `${name}.ext`]
    this.run('ca', '-config', 'tsa.cnf', '-keyfile', `${by}.key`, ...signing, ...days, ...issued)
    return this.run('x509', '-in', `${name}.pem`, '-outform', 'DER')
  }

  /** What an authority answers to a question, as `openssl ts` does. */
  answer(name: string, question: Uint8Array, more: readonly string[] = []): Buffer {
    writeFileSync(join(this.folder, 'question'), question)
    this.run(
      'ts',
      '-reply',
      '-config',
      'tsa.cnf',
      '-queryfile',
      'question',
      '-signer',
      `${name}.pem`,
      '-inkey',
      `${name}.key`,
      '-out',
      'answer',
      ...more,
    )
    return readFileSync(join(this.folder, 'answer'))
  }

  /** A token over a text. */
  token(name: string, text: string, more: readonly string[] = []): Buffer {
    writeFileSync(join(this.folder, 'text'), text)
    this.run('ts', '-query', '-data', 'text', '-sha256', '-cert', '-out', 'query')
    this.answer(name, readFileSync(join(this.folder, 'query')), more)
    return this.run('ts', '-reply', '-in', 'answer', '-token_out')
  }

  /** The same time stamp as in a token, signed by any key: what `openssl ts` itself refuses to do. */
  resigned(token: Uint8Array, name: string, more: readonly string[] = ['-cades']): Buffer {
    writeFileSync(join(this.folder, 'token'), token)
    this.run('cms', '-verify', '-noverify', '-inform', 'DER', '-in', 'token', '-out', 'info')
    const kind = ['-econtent_type', '1.2.840.113549.1.9.16.1.4']
    const form = ['-binary', '-nodetach', '-md', 'sha256', '-in', 'info', '-outform', 'DER', ...kind]
    return this.run('cms', '-sign', ...form, '-signer', `${name}.pem`, '-inkey', `${name}.key`, ...more)
  }
}

const configuration = `
[ca]
default_ca = own
[own]
database = ./index
serial = ./number
new_certs_dir = .
default_md = sha256
policy = any
unique_subject = no
[any]
organizationName = optional
commonName = supplied
[tsa]
default_tsa = stamps
[stamps]
serial = ./serial
default_policy = 1.2.3.4.1
digests = sha256, sha384, sha512
signer_digest = sha256
accuracy = secs:1, millisecs:500
ess_cert_id_alg = sha256
tsa_name = yes
`

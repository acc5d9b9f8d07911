import { isOrigin } from '@constancia/verify'
import type { Clock, Store } from '../../store/index.js'
import { type EvidenceOptions, evidenceError } from '../index.js'
import { knownWitness } from './cosigning.js'
import type { Tell } from './errand.js'
import { logKey } from './keys.js'
import { Sealer } from './sealer.js'
import { signerFrom } from './signer.js'

/** What sealing needs of the process. */
export interface SealingHost {
  readonly store: Store
  readonly clock: Clock
  readonly randomBytes: (count: number) => Uint8Array
  readonly tell: Tell
}

/** Throws `invalid_evidence` for an origin that is none. */
export function requireOrigin(origin: string): void {
  if (isOrigin(origin)) return
  throw evidenceError(
    'invalid_evidence',
    `The origin of a log is 1 to 200 of A-Z a-z 0-9 . _ : ~ / - and begins with a letter or a digit, not with "constancia.", but it was ` +
      `${JSON.stringify(origin.slice(0, 80))}. Nothing was opened; choose another.`,
  )
}

/** What is written through a store from now on says that its last checkpoint was known. Rejects with faults of the store. */
export async function knowCheckpoint({ log }: Store): Promise<void> {
  const { checkpoint } = await log.state()
  if (checkpoint !== undefined) log.know(checkpoint)
}

/** Begins to seal a store; see `Sealer.start`. */
export async function startSealing(options: EvidenceOptions, host: SealingHost): Promise<Sealer> {
  const { origin, signer, outside = [], witnesses = [], timeStamps = [] } = options
  requireOrigin(origin)
  const mine = logKey(origin, await signerFrom(signer))
  const known = await Promise.all(witnesses.map((witness) => knownWitness(origin, witness)))
  const holder = Buffer.from(host.randomBytes(8)).toString('hex')
  return Sealer.start({ ...host, mine, outside, witnesses: known, holder, timeStamps })
}

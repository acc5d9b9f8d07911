import { randomBytes } from 'node:crypto'
import { openStore } from '../engine/index.js'
import type { EvidenceOptions } from '../evidence/index.js'
import { type LogKey, logKey, requireOrigin, signerFrom } from '../evidence/log/index.js'
import { defaultLimits } from '../journal/index.js'
import { type Store, systemClock } from '../store/index.js'
import type { Call } from './command.js'
import { requireDatabase } from './database.js'
import { cliError } from './errors.js'
import { loggerOf } from './session.js'

/** What the configuration says of evidence. Throws `config_invalid` where it says nothing. */
export async function evidenceOf(call: Call): Promise<EvidenceOptions> {
  const { config, file } = await call.config()
  const { evidence } = config
  if (evidence === undefined) {
    const message = `${file} has no evidence: it names neither the origin of a log nor a key. Nothing was done; docs/evidence.md tells what to write there.`
    throw cliError('config_invalid', message)
  }
  requireOrigin(evidence.origin)
  return evidence
}

/** The key that the configuration names. Rejects with `key_invalid`. */
export async function configuredKey(call: Call): Promise<LogKey> {
  const { origin, signer } = await evidenceOf(call)
  return logKey(origin, await signerFrom(signer))
}

/** Opens the store of the configuration to read journals and checkpoints, and closes it when the use is over. Throws `store_missing`. */
export async function withStore<T>(call: Call, use: (store: Store) => Promise<T>): Promise<T> {
  const found = await call.config()
  requireDatabase(found, 'correct the path')
  const { config } = found
  const limits = { ...defaultLimits, ...config.limits }
  const log = config.log ?? loggerOf(call.terminal)
  const { store } = await openStore(
    { store: config.store },
    { clock: systemClock, randomBytes: (count) => randomBytes(count), limits, log },
  )
  try {
    return await use(store)
  } finally {
    await store.close()
  }
}

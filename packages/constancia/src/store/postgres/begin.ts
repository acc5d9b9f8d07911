import { KnownCheckpoint, type StoreParts } from '../index.js'
import { GroupCommit } from './commit.js'
import type { Opened } from './open.js'
import { closedError, type Patience, patiently } from './patience.js'
import { saltPool } from './salts.js'
import { schemaFiller } from './schema.js'
import type { Session } from './session.js'
import { Tips } from './tips.js'
import { Watchers } from './watch.js'

/** What a session stands on. */
export interface SessionParts {
  readonly opened: Opened
  readonly parts: StoreParts
  readonly patience: Patience
}

/** Begins the queue of changes. */
export function beginSession({ opened, parts, patience }: SessionParts): Session {
  const { connections, schema } = opened
  const { clock, randomBytes, warn } = parts
  const begun: Omit<Session, 'commit'> & { commit?: GroupCommit } = {
    connections,
    patience,
    tips: new Tips(),
    watchers: new Watchers({ listening: opened.listening, schema, handle: hexOf(randomBytes(8)), warn }),
    limitedFlows: new Set(),
    clock,
    salt: saltPool(randomBytes),
    known: new KnownCheckpoint(),
    sql: schemaFiller(schema),
    patiently: (call) => (patience.isClosing() ? Promise.reject(closedError()) : patiently(patience, call)),
  }
  const session = begun as Session
  begun.commit = new GroupCommit(session)
  return session
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}

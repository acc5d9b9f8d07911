import { type Mark, type Parking, storeError } from '../index.js'
import { fileIdentity } from './identity.js'
import type { Session } from './session.js'

/** Where the database stands; see `Store.mark`. */
export function mark(session: Session): Promise<Mark> {
  return session.read(() => {
    const { terms, held } = session.marks.terms()
    return { terms, server: serverOf(session), held }
  })
}

/** Counts one up; see `Store.pulse`. */
export async function pulse(session: Session): Promise<Mark> {
  await session.write(() => {
    const server = serverOf(session)
    const isSame = session.marks.terms().terms.at(-1)?.server === server
    if (isSame) session.marks.pulse(session.clock.now())
    else session.marks.begin({ id: newId(session), server, atMs: session.clock.now(), isAccepted: false })
  })
  return mark(session)
}

/** Parks every open run and begins a term; see `Store.quarantine`. */
export function quarantine(session: Session, parking: Parking): Promise<{ readonly parkedCount: number }> {
  return session.write(() => {
    const server = serverOf(session)
    session.tips.forgetAll()
    const parkedCount = session.marks.park(parking)
    session.marks.begin({ id: newId(session), server, atMs: session.clock.now(), isAccepted: true })
    return { parkedCount }
  })
}

// What is written into a file that has no name any more is lost to everybody else.
function serverOf({ file, identity }: Session): string {
  if (fileIdentity(file) === identity) return identity
  throw storeError(
    'store_rolled_back',
    `${file} is not the file any more that this process opened: it was replaced or taken away while the process was up, perhaps by a restore. ` +
      'What this process wrote since then is not in the database that is there now. It takes no runs and writes nothing more. ' +
      'Stop every process that has the old file open, and start them again.',
  )
}

function newId({ salt }: Session): string {
  return Buffer.from(salt()).toString('hex')
}

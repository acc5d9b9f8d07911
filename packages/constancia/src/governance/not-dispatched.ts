/**
 * Thrown by an action to say that its request certainly did not reach the destination, such as a connection that was refused: then
 * nothing is in doubt, and it may be tried again under every protocol.
 */
export class NotDispatched extends Error {
  override readonly name = 'NotDispatched'
}

/** Whether an error, or one of its causes, proves that nothing was sent. */
export function isNotDispatched(error: unknown): boolean {
  for (let link = error, depth = 0; link instanceof Error && depth < 100; link = link.cause, depth += 1) {
    if (link.name === 'NotDispatched') return true
  }
  return false
}

export { notDispatchedCode } from '@constancia/verify/governance'

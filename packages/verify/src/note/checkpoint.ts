/**
 * A checkpoint of C2SP tlog-checkpoint, without extension lines. It is the text of a signed note:
 *
 *   <origin>\n
 *   <size>\n
 *   <base64 of the root>\n
 */
import { base64Of, bytesOfBase64 } from '../bytes.js'
import { isKeyName } from './key.js'

/** What a checkpoint says. */
export interface Checkpoint {
  /** The name of the log. */
  readonly origin: string
  /** Leaves of the log. */
  readonly size: number
  /** Of the tree over them; 32 bytes. */
  readonly root: Uint8Array
}

/** The text of a checkpoint's note. */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  return `${origin}\n${size}\n${base64Of(root)}\n`
}

/** Reads the text of a checkpoint's note; undefined where it is none of a log with at least one leaf. */
export function parseCheckpoint(text: string): Checkpoint | undefined {
  const [origin = '', size = '', rootText = '', end, ...more] = text.split('\n')
  const root = bytesOfBase64(rootText)
  if (!isKeyName(origin) || !/^[1-9]\d{0,15}$/.test(size) || !Number.isSafeInteger(Number(size))) return undefined
  if (root?.length !== 32 || end !== '' || more.length > 0) return undefined
  return { origin, size: Number(size), root }
}

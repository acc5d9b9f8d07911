import { existsSync, statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { storeError } from '../index.js'

// File systems on which SQLite's locks or its shared memory do not work between machines: NFS, SMB, CIFS, SMB2, AFS,
// Ceph, Lustre. The numbers are those of statfs(2).
const networkTypes = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x00c36400, 0x0bd00bd0])

/** Whether a type of statfs(2) stands for a file system that is reached over a network. */
export function isNetworkFileSystem(type: number): boolean {
  return networkTypes.has(type >>> 0)
}

/**
 * Looks at where a database is to be before SQLite touches it. Throws `store_failed` for a folder that does not exist,
 * `store_unsafe` for a network file system. The file itself is left to SQLite: who opens and closes it in another way
 * makes the system drop every lock that this process holds on it (fcntl(2)), and another process may then damage it.
 */
export function checkPlace(file: string, allowUnsafe: boolean): void {
  const folder = dirname(file)
  if (!existsSync(folder)) {
    throw storeError(
      'store_failed',
      `The folder ${folder} does not exist, so ${file} cannot be opened. No run was touched. Create the folder, or correct the path.`,
    )
  }
  if (!allowUnsafe && isNetworkFileSystem(statfsSync(folder).type)) {
    throw storeError(
      'store_unsafe',
      `${folder} is on a network file system, where SQLite's locks cannot be relied on and acknowledged events may be lost. ` +
        'No run was touched. Put the file on a local disk; allowUnsafe: true opens it all the same.',
    )
  }
}

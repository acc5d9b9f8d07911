import { open } from 'node:fs/promises'

/** Writes a file; its text is on the disk when this resolves, its name once {@link syncFolder} has. Only its owner may read it unless `mode` says otherwise. */
export async function writeDurably(path: string, text: string, mode = 0o600): Promise<void> {
  const file = await open(path, 'w', mode)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/** Brings the names in a folder to the disk. Not every system can: there a name may be the old one after a power cut. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r').catch(() => undefined)
  await folder?.sync().catch(() => undefined)
  await folder?.close()
}

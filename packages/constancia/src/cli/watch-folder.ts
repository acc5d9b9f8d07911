import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs'
import { join, relative } from 'node:path'

const ignoredFolder = /^(\..*|node_modules|dist)$/
const ignoredFile = /^\..*|~$|\.(db|sqlite|sqlite3)(-wal|-shm|-journal)?$|-(wal|shm|journal)$|\.(log|part|swp|tmp)$/

/** Whether a change of this file says nothing about the code. */
export function isIgnoredFile(name: string): boolean {
  return ignoredFile.test(name)
}

/**
 * Calls with the path of each file below a folder that changes, but for packages, built files, hidden ones and databases.
 * Folders that are made later are watched too. Returns what stops it.
 */
export function watchFolder(root: string, onChange: (path: string) => void): () => void {
  const watchers = new Map<string, FSWatcher>()
  const add = (folder: string): void => {
    if (watchers.has(folder)) return
    try {
      const watcher = watch(folder, (_, name) => noticed(folder, name))
      watcher.on('error', () => forget(folder))
      watchers.set(folder, watcher)
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory() && !ignoredFolder.test(entry.name)) add(join(folder, entry.name))
      }
    } catch {
      forget(folder) // It went away meanwhile.
    }
  }
  const forget = (folder: string): void => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  const noticed = (folder: string, name: string | null): void => {
    if (name === null || ignoredFolder.test(name) || isIgnoredFile(name)) return
    const path = join(folder, name)
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) add(path)
    onChange(relative(root, path))
  }
  add(root)
  return () => {
    for (const folder of [...watchers.keys()]) forget(folder)
  }
}

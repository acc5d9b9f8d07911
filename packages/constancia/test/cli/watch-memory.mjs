// Loaded into a process before anything else: when it ends, it says in a file how much memory it has ever had resident.
import { readFileSync, writeFileSync } from 'node:fs'

process.on('exit', () => {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]
  writeFileSync(process.env['CONSTANCIA_PEAK_FILE'], String(Number(peak) * 1024))
})

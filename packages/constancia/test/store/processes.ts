import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

/** Starts a program beside this file. What it says on its error stream is shown. */
export function start(program: string, args: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(program, import.meta.url))
  return spawn(process.execPath, [path, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Waits for a program's end and returns what it said, as JSON. Throws unless it ended well. */
export async function answerOf<T>(child: ChildProcess): Promise<T> {
  let text = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    text += chunk.toString()
  })
  const [code, signal] = (await once(child, 'close')) as [number | null, string | null]
  if (code !== 0) throw new Error(`the program ended with ${code ?? signal}, after: ${text}`)
  return JSON.parse(text) as T
}

/** Starts the agent's process, ends it by SIGKILL where its trap is, starts it again: until it comes to its end. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { AgentTask } from './agent-task.js'
import type { Ledger } from './outside-process.js'
import type { Report, TrapPlace } from './trap.js'

/** One process of the agent, from its start to its end. */
export interface Life {
  /** The signal that ended it, as the operating system says; null where it ended by itself. */
  readonly signal: NodeJS.Signals | null
  readonly trap: TrapPlace | undefined
  /** What it executed: the tool, what it was about, and the key. */
  readonly executed: readonly Execution[]
  /** The pull requests that it reported at its end; undefined where it did not come to one. */
  readonly pullCount: number | undefined
}

/** One call of a tool. */
export interface Execution {
  readonly tool: string
  readonly subject: string
  readonly key: string
}

const children = new Set<ChildProcess>()

/** Ends whatever was started here. */
export function endChildren(): void {
  for (const child of children) child.kill('SIGKILL')
}

const lifeMsMax = 60_000

/** Starts one process of the agent and returns when it is gone. Throws if it fails by itself, or does not come to an end. */
export async function live(task: AgentTask, onExecuted: (execution: Execution) => void): Promise<Life> {
  const executed: Execution[] = []
  let pullCount: number | undefined
  const child = start('agent-process.js', [JSON.stringify(task)])
  child.on('message', (report: Report) => {
    if (report.kind === 'trapped') child.kill('SIGKILL')
    if (report.kind === 'ended') pullCount = report.pullCount
    if (report.kind !== 'executes') return
    executed.push(report)
    onExecuted(report)
  })
  const patience = setTimeout(() => child.kill('SIGTERM'), lifeMsMax)
  // Its last words may arrive after its end.
  const [[code, signal]] = await Promise.all([once(child, 'exit'), once(child, 'disconnect')])
  clearTimeout(patience)
  if (code !== 0 && signal !== 'SIGKILL') {
    throw new Error(`The agent's process ended with ${signal ?? `code ${code}`}.\n${errorsOf(child)}`)
  }
  return { signal: signal as NodeJS.Signals | null, trap: task.trap, executed, pullCount }
}

/** The process with the forge and the model. */
export interface Outside {
  readonly url: string
  ledger(): Promise<Ledger>
  close(): Promise<void>
}

/** Starts the process with the forge and the model. */
export async function startOutside(): Promise<Outside> {
  const child = start('outside-process.js', [])
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    ledger: async () => (await (await fetch(`${url}/ledger`)).json()) as Ledger,
    close: async () => {
      const gone = once(child, 'exit')
      child.kill()
      await gone
    },
  }
}

const errors = new WeakMap<ChildProcess, Buffer[]>()

function start(file: string, args: readonly string[]): ChildProcess {
  const child = fork(join(import.meta.dirname, file), args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  const chunks: Buffer[] = []
  errors.set(child, chunks)
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk))
  children.add(child)
  child.on('exit', () => children.delete(child))
  return child
}

function errorsOf(child: ChildProcess): string {
  return Buffer.concat(errors.get(child) ?? [])
    .toString('utf8')
    .trim()
}

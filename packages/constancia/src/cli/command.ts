import type { AnyFlow, Runtime, WorkerOptions } from '../engine/index.js'
import type { FoundConfig } from './config.js'
import type { ExitCode } from './exit-codes.js'
import type { Options } from './options.js'
import type { Terminal } from './terminal.js'

/** One word of the command line. */
export interface Command {
  readonly name: string
  /** One line for the list of commands. */
  readonly summary: string
  /** What else its help says: a paragraph, examples. */
  readonly details?: string
  readonly arguments?: readonly Argument[]
  readonly options?: readonly Option[]
  /** Left out of the list of commands. */
  readonly hidden?: boolean
  readonly act: (call: Call) => Promise<ExitCode>
}

/** What follows a command, by its place. */
export interface Argument {
  /** `<name>`, `[name]`, `<name...>` or `[name...]`. */
  readonly name: string
  readonly about: string
}

/** What follows a command by its name. */
export interface Option {
  /** `-o, --output <file>` */
  readonly flags: string
  readonly about: string
  /** It may be given more than once. */
  readonly many?: boolean
}

/** One call of a command. */
export interface Call {
  /** Those that stand for one thing; empty texts where they were left out. */
  readonly words: readonly string[]
  /** All of the argument that stands for many. */
  readonly list: readonly string[]
  readonly options: Options
  readonly terminal: Terminal
  readonly isJson: boolean
  /** Where the command was given; paths in it are relative to this. */
  readonly folder: string
  /** UTC milliseconds since 1970, now. */
  readonly now: () => number
  /** Loads the configuration. */
  readonly config: () => Promise<FoundConfig>
  /** Loads another one, by its absolute path. */
  readonly otherConfig: (file: string) => Promise<FoundConfig>
  /** Opens what the configuration names, and closes it when the use is over. */
  readonly withRuntime: <T>(how: OpenHow, use: (runtime: Runtime, found: FoundConfig) => Promise<T>) => Promise<T>
}

/** How a command opens the store. */
export interface OpenHow {
  /** Whether this process works on runs, and what it changes of how the configuration works on them. */
  readonly worker: boolean | Partial<WorkerOptions>
  /** Whether a database that is missing is made. */
  readonly create: boolean
  /** Only these flows of the configuration, and no schedules; all of it unless set. */
  readonly flows?: readonly AnyFlow[]
  /** Whether a store that is away is waited for, however long it takes; told once. */
  readonly onAway?: (reason: string) => void
}

/** To look at runs, and to send them something. */
export const lookOnly: OpenHow = { worker: false, create: false }

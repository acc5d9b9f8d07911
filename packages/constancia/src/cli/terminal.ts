import { createInterface } from 'node:readline/promises'
import { systemClock } from '../store/index.js'
import { cliError } from './errors.js'
import { Interrupts } from './interrupts.js'
import { type Paint, paintFor } from './paint.js'
import { Progress } from './progress.js'

/** The streams of a process, as far as the command line uses them. */
export interface Streams {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
}

/** Thrown where the reader of our output has left: there is nothing more to do and nothing to complain about. */
export class ReaderLeft extends Error {
  override readonly name = 'ReaderLeft'
}

const widthUsual = 80
const widthMin = 40

/** Whom the command line talks to. Data goes to standard output and nothing else does; all that is said goes to standard error. */
export class Terminal {
  readonly interrupts = new Interrupts()
  readonly #streams: Streams
  #readerLeft = false
  #paint: Paint
  #progress: Progress | undefined

  constructor(streams: Streams, environment: NodeJS.ProcessEnv) {
    this.#streams = streams
    this.#paint = paintFor(streams.stdout.isTTY && environment['TERM'] !== 'dumb' && !environment['NO_COLOR'])
    streams.stdout.on('error', (error) => this.#outputFailed(error))
    // Nobody hears what is said; what is done does not depend on it.
    streams.stderr.on('error', () => undefined)
  }

  get paint(): Paint {
    return this.#paint
  }

  /** Columns of standard output; 80 where it is no terminal. */
  get width(): number {
    const columns = this.#streams.stdout.isTTY ? this.#streams.stdout.columns : widthUsual
    return Math.max(widthMin, columns || widthUsual)
  }

  /** True once whoever read our data has closed the pipe. */
  get readerLeft(): boolean {
    return this.#readerLeft
  }

  /** Does without colours from now on. */
  dropColours(): void {
    this.#paint = paintFor(false)
  }

  /** Writes lines of data. Resolves when there is room for more; throws {@link ReaderLeft} where nobody reads any more. */
  async print(text: string): Promise<void> {
    if (this.#readerLeft) throw new ReaderLeft()
    this.#progress?.clear()
    const { stdout } = this.#streams
    await new Promise<void>((resolve) => {
      if (stdout.write(`${text}\n`, () => resolve())) resolve()
    })
  }

  /** Writes bytes of data as they are, otherwise as {@link print} does. */
  async pass(bytes: Uint8Array): Promise<void> {
    if (this.#readerLeft) throw new ReaderLeft()
    this.#progress?.clear()
    const { stdout } = this.#streams
    await new Promise<void>((resolve) => {
      if (stdout.write(bytes, () => resolve())) resolve()
    })
  }

  /** The same, where what is done goes on although nobody reads about it. */
  async tell(text: string): Promise<void> {
    if (!this.#readerLeft) await this.print(text)
  }

  /** Says something to a person. */
  say(text: string): void {
    this.#progress?.clear()
    this.#streams.stderr.write(`${text}\n`)
  }

  /** Shows how far long work is, on standard error; a terminal sees it move, a log gets a line now and then. */
  progress(label: string, total?: number): Progress {
    const { stderr } = this.#streams
    const isTerminal = stderr.isTTY === true
    const write = (text: string): void => void stderr.write(text)
    const done = (): void => {
      this.#progress = undefined
    }
    this.#progress = new Progress({ label, total, isTerminal, write, clock: systemClock, done })
    return this.#progress
  }

  /** From now on says what the first Ctrl-C does. */
  announceStop(): void {
    const stopping = (): void => this.say('Stopping after what is under way; Ctrl-C again ends at once.')
    this.interrupts.signal.addEventListener('abort', stopping, { once: true })
  }

  /** Whether there is somebody to ask. */
  get canAsk(): boolean {
    return this.#streams.stdin.isTTY === true && this.#streams.stderr.isTTY === true
  }

  /** Asks a question that is answered with yes or no; everything but yes is no. */
  async ask(question: string): Promise<boolean> {
    const dialogue = createInterface({ input: this.#streams.stdin, output: this.#streams.stderr })
    try {
      const answer = await dialogue.question(`${question} [y/N] `, { signal: this.interrupts.signal })
      return /^\s*y(es)?\s*$/i.test(answer)
    } catch {
      return false
    } finally {
      dialogue.close()
    }
  }

  /** All of standard input. Throws `usage` where that is a terminal. */
  async input(): Promise<string> {
    const { stdin } = this.#streams
    if (stdin.isTTY)
      throw cliError('usage', 'There is nothing on standard input to read. Nothing was done; pipe something in.')
    const chunks: Buffer[] = []
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Uint8Array))
    return Buffer.concat(chunks).toString('utf8')
  }

  /** Resolves when all that was written has left the process. */
  async flush(): Promise<void> {
    const { stdout, stderr } = this.#streams
    for (const stream of this.#readerLeft ? [stderr] : [stdout, stderr]) {
      await new Promise<void>((resolve) => void stream.write('', () => resolve()))
    }
  }

  #outputFailed(error: Error): void {
    this.#readerLeft = true
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE')
      this.say(`constancia: The output cannot be written: ${error.message}`)
  }
}

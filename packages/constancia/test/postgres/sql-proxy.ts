import { connect, createServer, type Server, type Socket } from 'node:net'
import { type Frame, Frames, isAnswered, isAsked, sqlOf, statementNameOf } from './wire.js'

/** Where on its way a message and its answer are cut off. */
export const positions = [
  'before the message leaves',
  'in the middle of the message',
  'before the answer leaves',
  'in the middle of the answer',
  'after the answer',
] as const

/** One of them. */
export type Position = (typeof positions)[number]

/** Something that is asked of the server: a statement, or the opening of a connection. */
export interface Question {
  /** The statement, without line breaks and without the name of its schema; `connect` for the opening. */
  readonly sql: string
  /** Counts those with the same statement, from 0, since the proxy was told to begin. */
  readonly no: number
}

interface Asked {
  readonly question: Question
  readonly position: Position | undefined
  answer: Buffer[]
}

/**
 * A TCP proxy before a PostgreSQL, which knows what is a statement and what is the answer to it. It can cut a connection at any
 * place of them, stop passing anything on without closing, and turn to another server.
 */
export class SqlProxy {
  readonly #server: Server
  readonly #lines = new Set<Line>()
  readonly #counts = new Map<string, number>()
  /** Where new connections lead to; 0 for nowhere: they are refused. */
  targetPort: number
  /** Decides about each question when it comes. */
  fate: (question: Question) => Position | undefined = () => undefined
  /** Told of each question when it was passed on, or not. */
  onAsked: (question: Question, line: Line) => void = () => undefined
  /** Told of each question once its answer was passed on. */
  onAnswered: (question: Question) => void = () => undefined
  cutCount = 0
  /** Connections that were opened or refused, and questions that came, in all. */
  tryCount = 0

  constructor(targetPort: number) {
    this.targetPort = targetPort
    this.#server = createServer((client) => {
      this.tryCount += 1
      if (this.targetPort === 0) {
        client.destroy()
        return
      }
      const line: Line = new Line(this, client, () => this.#lines.delete(line))
      this.#lines.add(line)
    })
  }

  /** Listens; returns the address of the database through it. */
  async open(url: string): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = new URL(url)
    address.port = String((this.#server.address() as { port: number }).port)
    return address.href
  }

  /** Counts from 0 again. */
  begin(): void {
    this.#counts.clear()
    this.cutCount = 0
  }

  /** Names a statement that comes now. */
  nameOf(sql: string): Question {
    this.tryCount += 1
    const text = sql
      .replaceAll(/"test_\w+"\./g, '')
      .replaceAll(/\s+/g, ' ')
      .trim()
    const no = this.#counts.get(text) ?? 0
    this.#counts.set(text, no + 1)
    return { sql: text, no }
  }

  /** Connections of clients that have sent such a statement and are open. */
  linesWith(word: string): Line[] {
    return [...this.#lines].filter((line) => line.said.some((sql) => sql.includes(word)))
  }

  get lines(): readonly Line[] {
    return [...this.#lines]
  }

  /** Cuts every connection. */
  cutAll(): void {
    for (const line of this.#lines) line.cut()
  }

  async close(): Promise<void> {
    this.cutAll()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** One connection through the proxy. */
export class Line {
  /** The first statements that went over it. */
  readonly said: string[] = []
  readonly #proxy: SqlProxy
  readonly #client: Socket
  readonly #server: Socket
  readonly #group: Frame[] = []
  readonly #asked: Asked[] = []
  readonly #prepared = new Map<string, string>()
  #isCut = false
  /** Whether what comes is thrown away, on both sides, and nothing is closed. */
  isSilent = false

  constructor(proxy: SqlProxy, client: Socket, onClose: () => void) {
    this.#proxy = proxy
    this.#client = client
    this.#server = connect(proxy.targetPort, '127.0.0.1')
    for (const socket of [client, this.#server]) {
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        onClose()
        if (!this.isSilent && !this.#isCut) this.cut()
      })
    }
    const [ofClient, ofServer] = [new Frames('client'), new Frames('server')]
    client.on('data', (bytes: Buffer) => {
      for (const frame of ofClient.take(bytes)) this.#ask(frame)
    })
    this.#server.on('data', (bytes: Buffer) => {
      for (const frame of ofServer.take(bytes)) this.#answer(frame)
    })
  }

  /** Whether the client has not ended it. */
  get isOpenForClient(): boolean {
    return !this.#client.destroyed
  }

  /** Whether something was asked that is not answered yet. */
  get isBusy(): boolean {
    return this.#asked.length > 0 && !this.#isCut
  }

  /** Ends it, on both sides. */
  cut(): void {
    this.#isCut = true
    this.#client.destroy()
    this.#server.destroy()
  }

  #ask(frame: Frame): void {
    if (this.#isCut || this.isSilent) return
    this.#group.push(frame)
    if (!isAsked(frame) && frame.kind !== 'X') return
    const group = this.#group.splice(0)
    const bytes = Buffer.concat(group.map((one) => one.bytes))
    if (frame.kind === 'X') {
      this.#server.write(bytes)
      return
    }
    const sql = frame.kind === '' ? 'connect' : this.#sqlOf(group)
    if (this.said.length < 10) this.said.push(sql)
    const question = this.#proxy.nameOf(sql)
    const position = this.#proxy.fate(question)
    this.#asked.push({ question, position, answer: [] })
    if (position === 'before the message leaves') this.#end(this.#server, Buffer.alloc(0))
    else if (position === 'in the middle of the message')
      this.#end(this.#server, bytes.subarray(0, Math.floor(bytes.length / 2)))
    else this.#server.write(bytes)
    this.#proxy.onAsked(question, this)
  }

  // Also where it only names what was prepared before.
  #sqlOf(group: readonly Frame[]): string {
    const sql = group.map(sqlOf).find((one) => one !== undefined)
    const name = group.map(statementNameOf).find((one) => one !== '') ?? ''
    if (sql !== undefined) this.#prepared.set(name, sql)
    return sql ?? this.#prepared.get(name) ?? name
  }

  #answer(frame: Frame): void {
    if (this.#isCut || this.isSilent) return
    const [first] = this.#asked
    if (first === undefined) {
      this.#client.write(frame.bytes)
      return
    }
    first.answer.push(frame.bytes)
    if (!isAnswered(frame)) return
    this.#asked.shift()
    const bytes = Buffer.concat(first.answer)
    if (first.position === 'before the answer leaves') this.#end(this.#client, Buffer.alloc(0))
    else if (first.position === 'in the middle of the answer')
      this.#end(this.#client, bytes.subarray(0, Math.floor(bytes.length / 2)))
    else if (first.position === 'after the answer') this.#end(this.#client, bytes)
    else {
      this.#client.write(bytes)
      this.#proxy.onAnswered(first.question)
    }
  }

  // What was passed on arrives; then nothing more comes, from either side.
  #end(to: Socket, bytes: Buffer): void {
    this.#isCut = true
    this.#proxy.cutCount += 1
    const other = to === this.#client ? this.#server : this.#client
    if (bytes.length === 0) to.destroySoon()
    else to.write(bytes, () => to.destroySoon())
    other.destroy()
  }
}

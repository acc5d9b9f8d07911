import { connect, createServer, type Server, type Socket } from 'node:net'
import { type Frame, Frames, frameOf, isAsked, statusOf } from './wire.js'

/**
 * A pooler that shares a few connections of a server between many clients, and lends one for a transaction at a time: from the
 * first message after which the server is asked something, until it says that no transaction is under way and that nothing
 * more was asked. The next transaction of a client goes to whichever connection has been idle for longest.
 */
export class Pooler {
  readonly #server: Server
  readonly #backends: Backend[] = []
  readonly #idle: Backend[] = []
  readonly #waiting: Member[] = []
  readonly #members = new Set<Member>()
  /** Transactions that were lent a connection. */
  lentCount = 0
  /** How often a client was lent another connection than the time before. */
  movedCount = 0
  memberCountMax = 0

  constructor() {
    this.#server = createServer((socket) => {
      const member = new Member(this, socket)
      this.#members.add(member)
      this.memberCountMax = Math.max(this.memberCountMax, this.#members.size)
    })
  }

  /** Connects so many times to a server that asks for no password, and listens; returns its own address. */
  async open(url: string, count: number): Promise<string> {
    const address = new URL(url)
    for (let index = 0; index < count; index += 1) {
      const backend = new Backend(Number(address.port), address.username, address.pathname.slice(1))
      await backend.ready
      this.#backends.push(backend)
      this.#idle.push(backend)
    }
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    address.port = String((this.#server.address() as { port: number }).port)
    return address.href
  }

  /** What every client is told of the server. */
  get greeting(): readonly Buffer[] {
    const greeting = this.#backends[0]?.greeting ?? []
    // But which process of it answers: that changes, so the number is its own.
    return greeting.map((bytes) => (bytes[0] === 75 ? frameOf('K', Buffer.from('\0\0\0\x01\0\0\0\x01')) : bytes))
  }

  /** Lends a connection, now or once one is idle. */
  lend(member: Member): void {
    const backend = this.#idle.shift()
    if (backend === undefined) this.#waiting.push(member)
    else this.#give(backend, member)
  }

  /** Takes a connection back. */
  takeBack(backend: Backend): void {
    backend.member = undefined
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      if (next.isGone) continue
      this.#give(backend, next)
      return
    }
    this.#idle.push(backend)
  }

  /** Ends a connection on which something was left open, and connects anew for it. */
  replace(backend: Backend): void {
    backend.renew()
    const anew = backend.again()
    this.#backends.splice(this.#backends.indexOf(backend), 1, anew)
    void anew.ready.then(() => this.takeBack(anew))
  }

  forget(member: Member): void {
    this.#members.delete(member)
  }

  async close(): Promise<void> {
    for (const member of this.#members) member.end()
    for (const backend of this.#backends) backend.end()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #give(backend: Backend, member: Member): void {
    this.lentCount += 1
    if (member.last !== undefined && member.last !== backend) this.movedCount += 1
    backend.member = member
    member.use(backend)
  }
}

/** A client of the pooler. */
class Member {
  readonly #pooler: Pooler
  readonly #socket: Socket
  readonly #group: Frame[] = []
  readonly #held: Frame[] = []
  #askedCount = 0
  #backend: Backend | undefined
  #isLending = false
  last: Backend | undefined
  isGone = false

  constructor(pooler: Pooler, socket: Socket) {
    this.#pooler = pooler
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('error', () => undefined)
    const frames = new Frames('client')
    socket.on('data', (bytes: Buffer) => {
      for (const frame of frames.take(bytes)) this.#take(frame)
    })
    socket.on('close', () => this.#leave())
  }

  #take(frame: Frame): void {
    if (frame.kind === '') {
      for (const bytes of this.#pooler.greeting) this.#socket.write(bytes)
    } else if (frame.kind === 'X') {
      this.#socket.end()
    } else {
      this.#group.push(frame)
      if (!isAsked(frame)) return
      // What belongs together goes to one connection.
      this.#held.push(...this.#group.splice(0))
      if (this.#backend !== undefined) this.#send()
      else if (!this.#isLending) {
        this.#isLending = true
        this.#pooler.lend(this)
      }
    }
  }

  use(backend: Backend): void {
    this.#isLending = false
    this.#backend = backend
    this.last = backend
    this.#send()
  }

  #send(): void {
    for (const frame of this.#held.splice(0)) {
      if (isAsked(frame)) this.#askedCount += 1
      this.#backend?.write(frame.bytes)
    }
  }

  /** Takes an answer; gives the connection back where the transaction is over. */
  answer(backend: Backend, frame: Frame): void {
    this.#socket.write(frame.bytes)
    if (frame.kind !== 'Z') return
    this.#askedCount -= 1
    if (statusOf(frame) !== 'I' || this.#askedCount > 0 || this.#held.length > 0) return
    this.#backend = undefined
    this.#pooler.takeBack(backend)
  }

  end(): void {
    this.#socket.destroy()
  }

  // A client that leaves in the middle takes its connection with it: what it left open must not be somebody else's.
  #leave(): void {
    this.isGone = true
    this.#pooler.forget(this)
    if (this.#backend !== undefined) this.#pooler.replace(this.#backend)
  }
}

/** A connection to the server. */
class Backend {
  readonly ready: Promise<void>
  readonly greeting: Buffer[] = []
  member: Member | undefined
  readonly #socket: Socket
  #isReady = false

  readonly again: () => Backend

  constructor(port: number, user: string, database: string) {
    this.again = () => new Backend(port, user, database)
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.setNoDelay(true)
    this.#socket.on('error', () => undefined)
    this.#socket.write(hello(user, database))
    this.ready = new Promise((resolve) => {
      const frames = new Frames('server')
      this.#socket.on('data', (bytes: Buffer) => {
        for (const frame of frames.take(bytes)) {
          if (this.#isReady) this.member?.answer(this, frame)
          else this.greeting.push(frame.bytes)
          if (frame.kind !== 'Z') continue
          this.#isReady = true
          resolve()
        }
      })
    })
  }

  write(bytes: Buffer): void {
    this.#socket.write(bytes)
  }

  renew(): void {
    this.#socket.destroy()
  }

  end(): void {
    this.#socket.end(frameOf('X', Buffer.alloc(0)))
  }
}

// The first message of a client: its length, version 3.0, and names with their values.
function hello(user: string, database: string): Buffer {
  const names = Buffer.from(`user\0${user}\0database\0${database}\0\0`)
  const head = Buffer.alloc(8)
  head.writeInt32BE(8 + names.length, 0)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, names])
}

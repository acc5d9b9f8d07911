import { connect, createServer, type Server, type Socket } from 'node:net'

/** A piece of what goes through: one write of one side, counted from 0 over all connections. */
export interface Piece {
  readonly no: number
  readonly from: 'client' | 'server'
  readonly bytes: Buffer
}

/** What becomes of a piece: it passes, or its connection is cut after so many bytes of it were passed on. */
export type Fate = 'pass' | { readonly cutAfter: number }

/** A TCP proxy before a PostgreSQL, which cuts connections at places that a test names. */
export class CuttingProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #target: number
  #count = 0
  /** Decides about each piece. */
  fate: (piece: Piece) => Fate = () => 'pass'
  cutCount = 0

  constructor(targetPort: number) {
    this.#target = targetPort
    this.#server = createServer((client) => this.#join(client))
  }

  /** Listens; returns the address of the database through it. */
  async open(url: string): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    const address = new URL(url)
    address.port = String((this.#server.address() as { port: number }).port)
    return address.href
  }

  /** How many pieces have come so far. */
  get count(): number {
    return this.#count
  }

  /** Counts from 0 again. */
  begin(): void {
    this.#count = 0
  }

  /** Cuts every connection. */
  cutAll(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    this.cutAll()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1')
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        client.destroy()
        server.destroy()
      })
    }
    client.on('data', (bytes: Buffer) => this.#pass({ no: this.#count++, from: 'client', bytes }, client, server))
    server.on('data', (bytes: Buffer) => this.#pass({ no: this.#count++, from: 'server', bytes }, server, client))
  }

  #pass(piece: Piece, from: Socket, to: Socket): void {
    const fate = this.fate(piece)
    if (fate === 'pass') {
      to.write(piece.bytes)
      return
    }
    this.cutCount += 1
    from.pause()
    // What was passed on arrives; then nothing more comes, from either side.
    to.write(piece.bytes.subarray(0, fate.cutAfter), () => {
      to.destroySoon()
      from.destroy()
    })
  }
}

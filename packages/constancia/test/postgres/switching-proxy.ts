import { connect, createServer, type Server, type Socket } from 'node:net'

/** An address that stays the same whoever serves the database: what a fleet has in its configuration. */
export class SwitchingProxy {
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #port: number

  private constructor(port: number) {
    this.#port = port
    this.#server = createServer((client) => this.#join(client))
  }

  /** Listens, and leads to the server on this port. */
  static async open(port: number): Promise<SwitchingProxy> {
    const proxy = new SwitchingProxy(port)
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${(this.#server.address() as { port: number }).port}/postgres`
  }

  /** Leads somewhere else from now on. */
  switchTo(port: number): void {
    this.#port = port
    for (const socket of this.#sockets) socket.destroy()
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(client: Socket): void {
    const server = connect(this.#port, '127.0.0.1')
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
    client.pipe(server)
    server.pipe(client)
  }
}

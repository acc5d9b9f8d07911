/** A connection that tells which server process answered when it was made. */
export interface Greeted {
  /** What the greeting named as the number of the server's process; null before it came. */
  readonly processID?: number | null
}

// Statement unknown; statement known already. Said before anything is executed.
const notOurs = new Set(['26000', '42P05'])

/**
 * Which connections lead to one server process and stay with it, so that a statement may be prepared on them by name. The greeting
 * of PostgreSQL names the process; a pooler that shares server processes between transactions greets with a number of its own. Where
 * the process that answers a question is the one of the greeting, nobody stands between. Should a server ever not know what was
 * prepared, or know it already, nothing is prepared any more.
 */
export class Directness {
  readonly #direct = new WeakSet<Greeted>()
  #isDoubted = false

  /** Notes a connection whose server process calls itself so. */
  note(connection: Greeted, processId: number): void {
    if (connection.processID === processId) this.#direct.add(connection)
  }

  /** Whether a statement may be prepared on it. */
  isDirect(connection: Greeted): boolean {
    return !this.#isDoubted && this.#direct.has(connection)
  }

  /** Notes what an error of a statement that was prepared tells. */
  doubt(sqlState: string | undefined): void {
    if (sqlState !== undefined && notOurs.has(sqlState)) this.#isDoubted = true
  }
}

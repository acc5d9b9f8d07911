/**
 * The forge: where pull requests are opened. It remembers idempotency keys as payment services and many other APIs do:
 * the same key with the same content gets the same answer and opens nothing; with other content it is refused.
 * A request without a key opens a pull request each time.
 */

/** What a pull request says. */
export interface PullContent {
  readonly title: string
  readonly branch: string
  readonly commit: string
  readonly fileCount: number
}

/** A pull request that was opened, and how often somebody asked for it. */
export interface Pull extends PullContent {
  readonly number: number
  /** Undefined where the request had none. */
  readonly key: string | undefined
  readonly requests: number
}

/** Everything that reached the forge. */
export interface PullLedger {
  readonly requests: number
  readonly refused: number
  /** Those that were opened, in their order. */
  readonly pulls: readonly Pull[]
}

/** What the forge says to a request: an HTTP status, and the pull request's number if it has one. */
export interface PullAnswer {
  readonly status: 200 | 201 | 409 | 422
  readonly body: { readonly number: number } | { readonly error: string }
}

/** Opens pull requests and keeps the ledger. */
export class Forge {
  #requests = 0
  #refused = 0
  readonly #pulls: Pull[] = []

  open(content: PullContent, key: string | undefined): PullAnswer {
    this.#requests += 1
    if (!isContent(content))
      return this.#refuse(422, 'A pull request has a title, a branch, a commit and a count of files.')
    const known = key === undefined ? -1 : this.#pulls.findIndex((pull) => pull.key === key)
    if (known < 0) return this.#accept(content, key)
    const pull = this.#pulls[known] as Pull
    if (!isSame(pull, content)) return this.#refuse(409, `Key ${key} was used for another pull request: ${pull.title}`)
    this.#pulls[known] = { ...pull, requests: pull.requests + 1 }
    return { status: 200, body: { number: pull.number } }
  }

  get ledger(): PullLedger {
    return { requests: this.#requests, refused: this.#refused, pulls: [...this.#pulls] }
  }

  #accept({ title, branch, commit, fileCount }: PullContent, key: string | undefined): PullAnswer {
    const number = this.#pulls.length + 1
    this.#pulls.push({ number, key, requests: 1, title, branch, commit, fileCount })
    return { status: 201, body: { number } }
  }

  #refuse(status: 409 | 422, error: string): PullAnswer {
    this.#refused += 1
    return { status, body: { error } }
  }
}

function isContent(value: PullContent): boolean {
  const { title, branch, commit, fileCount } = value ?? {}
  return [title, branch, commit].every((text) => typeof text === 'string') && Number.isInteger(fileCount)
}

function isSame(a: PullContent, b: PullContent): boolean {
  return a.title === b.title && a.branch === b.branch && a.commit === b.commit && a.fileCount === b.fileCount
}

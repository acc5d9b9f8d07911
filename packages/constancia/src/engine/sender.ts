import {
  bodyOf,
  checkId,
  encodeValue,
  nothingSeen,
  Restriction,
  type RunId,
  runStream,
  type Tells,
} from '../journal/index.js'
import type { Decision, Facts, Store } from '../store/index.js'
import { Children } from './children.js'
import {
  type Cancellation,
  type Delivered,
  decideCancel,
  decideForcedEnd,
  decideRetry,
  decideSignal,
  unknownRun,
} from './deliver.js'
import { engineError } from './errors.js'
import { latestRowOf } from './line.js'
import { newRunId } from './new-id.js'
import type { Parts } from './parts.js'
import type { CancelOptions, SignalOptions } from './run.js'
import { endTellsOf } from './telling.js'

type Answer = Exclude<Delivered, { readonly kind: 'moved' }>

/** Sends to runs what comes from outside: signals, wishes to cancel, an operator's retry. It reaches the latest of a line. */
export class Sender {
  readonly #store: Store
  readonly #parts: Parts

  constructor(store: Store, parts: Parts) {
    this.#store = store
    this.#parts = parts
  }

  async signal(run: RunId, name: string, send: SignalOptions & { readonly payload: unknown }): Promise<Answer> {
    if (typeof name !== 'string' || name.length < 1 || name.length > 200) {
      throw engineError('invalid_option', 'The name of a signal is a text of 1 to 200 characters. Nothing was sent.')
    }
    const { limits, clock } = this.#parts
    const payload = encodeValue(send.payload, { limits, what: `payload of signal ${JSON.stringify(name)}` })
    const delivery =
      send.delivery === undefined
        ? newRunId(clock.now(), this.#parts.randomBytes)
        : checkId(send.delivery, 'delivery id')
    const decide = (to: RunId, facts: Facts): Decision<Delivered> =>
      decideSignal({ run: to, name, delivery, payload, limits }, facts)
    return this.#send(run, { delivery, by: authorOf(send.by), decide })
  }

  async retry(run: RunId, note: string): Promise<Answer> {
    requireText(note, 'note of a retry')
    const decide = (to: RunId, facts: Facts): Decision<Delivered> => decideRetry(to, note, facts)
    return this.#send(run, { delivery: undefined, by: authorOf(undefined), decide })
  }

  async cancel(run: RunId, options: CancelOptions): Promise<Answer> {
    requireText(options.reason ?? '', 'reason of a cancellation')
    const reason = options.reason === undefined ? undefined : this.#encodeReason(options.reason)
    const by = authorOf(options.by)
    if (options.force === true) return this.#end(run, reason, by)
    const decide = (to: RunId, facts: Facts): Decision<Delivered> => decideCancel({ run: to, reason }, facts)
    return this.#send(run, { delivery: undefined, by, decide })
  }

  async #send(run: RunId, message: Message): Promise<Answer> {
    for (let to = run; ; to = (await latestRowOf(this.#store, run))?.id ?? run) {
      const { delivery, by, decide } = message
      const request = { run: to, delivery, by, seen: nothingSeen, decide: (facts: Facts) => decide(to, facts) }
      const answer = await this.#store.decide(request)
      if (answer.kind !== 'moved') return answer
    }
  }

  async #end(run: RunId, reason: string | undefined, by: string): Promise<Answer> {
    for (;;) {
      const row = await latestRowOf(this.#store, run)
      if (row === undefined) return { kind: 'refused', error: unknownRun(run) }
      const answer = await this.#endLatest({ run: row.id, reason, by })
      if (answer.kind !== 'moved') return answer
    }
  }

  // Ends what was read and nothing else. What came in between is read as well, and no more: an owner that writes all the
  // time must not be able to put this off for ever.
  async #endLatest({ run, reason, by }: Cancellation & { readonly by: string }): Promise<Delivered> {
    const children = new Children()
    const restriction = new Restriction()
    let tells: Tells = {}
    for (let eventCount = 0; ; ) {
      const events = await this.#store.read(runStream(run), { fromSeq: eventCount })
      for (const event of events) children.add(event)
      for (const event of events) restriction.add(event)
      const [first] = events
      if (first?.kind === 'FlowStarted') tells = endTellsOf(bodyOf(first, 'FlowStarted'))
      eventCount += events.length
      const drafts = children.cancellations(() => false).map(({ draft }) => draft)
      const forced = {
        run,
        reason,
        headSeq: eventCount - 1,
        children: drafts,
        told: { ...restriction.facts, ...tells },
      }
      const decide = (facts: Facts): ReturnType<typeof decideForcedEnd> => decideForcedEnd(forced, facts)
      const answer = await this.#store.decide({ run, delivery: undefined, by, seen: nothingSeen, decide })
      if (answer.kind !== 'read_again') return answer
    }
  }

  #encodeReason(reason: string): string {
    return encodeValue(reason, { limits: this.#parts.limits, what: 'reason of a cancellation' })
  }
}

interface Message {
  readonly delivery: string | undefined
  readonly by: string
  readonly decide: (to: RunId, facts: Facts) => Decision<Delivered>
}

function authorOf(principal: string | undefined): string {
  return principal === undefined ? 'system:api' : `principal:${checkId(principal, 'principal id')}`
}

function requireText(text: unknown, what: string): void {
  if (typeof text === 'string' && text.length <= 1_000) return
  throw engineError('invalid_option', `The ${what} is a text of at most 1,000 characters. Nothing was done.`)
}

import { bodyOf, type ConstanciaError, decodeValue, draftOf, type OpId, type RunId } from '../journal/index.js'
import type { WaitingFor } from '../store/index.js'
import { engineError } from './errors.js'
import type { AnyFlow } from './flow.js'
import type { Outcome } from './history.js'
import { type Host, type Op, OpBase, type OpPlace } from './op.js'

/** What a call starts. */
export interface CallPlan {
  readonly flow: AnyFlow
  readonly child: RunId
  /** The input, as its text. */
  readonly input: string
  /** What the child shares a limit by, where its flow says so. */
  readonly key: { readonly key?: string }
}

/** `ctx.call`: starts a child and waits for its end. */
export class CallOp<T> extends OpBase<T> implements Op {
  readonly verb = 'call'
  readonly hasEffect = false
  readonly dueMs = undefined
  readonly #plan: CallPlan

  constructor(host: Host, place: OpPlace, plan: CallPlan) {
    super(host, place)
    this.#plan = plan
  }

  start(): void {
    if (this.recorded?.child !== undefined) return
    const { id: op } = this
    const { flow, child, input, key } = this.#plan
    const { name, version, patches } = flow
    this.host.record(draftOf('ChildStarted', { op, flow: name, version, child, patches, ...key }, input))
  }

  onDue(): void {
    // It waits for its child alone.
  }

  receive(event: Outcome): void {
    const { outcome } = bodyOf(event, 'ChildEnded')
    if (outcome === 'cancelled') return this.fail(childCancelled(this.id, this.#plan))
    const value = decodeValue(event.data ?? '')
    if (outcome === 'completed') this.fulfil(value as T)
    else this.fail(value)
  }

  describe(): WaitingFor {
    return { kind: 'child', op: this.id, name: this.recorded?.child?.run ?? this.#plan.child }
  }
}

function childCancelled(op: OpId, { flow, child }: CallPlan): ConstanciaError {
  const message =
    `Child run ${child} of flow ${JSON.stringify(flow.name)}, which op ${op} started, was cancelled, so there is no result. ` +
    'Its journal tells by whom; catch this where the flow can go on without it.'
  return engineError('child_cancelled', message, { details: { run: child } })
}

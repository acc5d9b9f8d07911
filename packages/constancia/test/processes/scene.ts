import { readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Flow, flow, open, type Run, type Runtime } from 'constancia'
import type { TestContext } from 'vitest'
import { type LedgerServer, startLedgerServer } from '../../dist/testing/index.js'
import { makeFolder } from '../store/stores.js'
import { makeSceneStore, type SceneStore, type StoreAddress, type StoreKind } from './scene-store.js'
import storeAt from './stores.mjs'
import { WorkerProcess } from './worker-process.js'
import type { WorkerOrder } from './worker-words.js'

/** Longer than a busy machine takes to start a thread: only who is stopped, ended or held up loses a run. Milliseconds. */
export const leaseMs = 3_000

const names = ['held', 'computing', 'short', 'deadly', 'long', 'rounds', 'shared'] as const

// This process only starts runs and looks; all work is done in others.
const flows = Object.fromEntries(
  names.map((name) => [name, flow({ name, version: 1, run: async () => undefined as unknown })]),
) as Readonly<Record<(typeof names)[number], Flow<unknown, unknown>>>

/**
 * A test with a scene of its own, so that several can be played at once: most of their time they wait for a lease. On a SQLite
 * file unless another store is named.
 */
export function inScene(
  play: (scene: Scene) => Promise<void>,
  kind: StoreKind = 'sqlite',
): (context: TestContext) => Promise<void> {
  return async ({ onTestFinished }) => {
    const scene = await Scene.open(kind)
    onTestFinished(() => scene.close())
    await play(scene)
  }
}

/** One store, a destination, somebody who looks on, and the worker processes that come and go. */
export class Scene {
  readonly store: SceneStore
  readonly ledger: LedgerServer
  readonly outside: Runtime
  readonly #folder = makeFolder()
  readonly #workers: WorkerProcess[] = []
  #isOver = false

  private constructor(store: SceneStore, ledger: LedgerServer, outside: Runtime) {
    this.store = store
    this.ledger = ledger
    this.outside = outside
  }

  static async open(kind: StoreKind = 'sqlite', serverUrl?: string): Promise<Scene> {
    const store = await makeSceneStore(kind, serverUrl)
    const ledger = await startLedgerServer()
    const outside = await open({ store: storeAt(store.address), flows: Object.values(flows), worker: false })
    return new Scene(store, ledger, outside)
  }

  /** The file of a scene on SQLite. */
  get file(): string {
    const { address } = this.store
    if (address.kind !== 'sqlite') throw new Error('This scene has no file.')
    return address.file
  }

  /** Starts a run that only worker processes have the code of. */
  start(name: (typeof names)[number], id: string, input: unknown): Promise<Run> {
    return this.outside.start(flows[name], input, { id })
  }

  run(id: string): Run {
    return this.outside.run(id)
  }

  /** A path in a folder that is gone afterwards. */
  path(name: string): string {
    return join(this.#folder, name)
  }

  /** What lies beside the file for each process that works on it. */
  get marks(): string[] {
    return readdirSync(dirname(this.file)).filter((name) => name.includes('-worker-'))
  }

  /** Starts a worker, and returns when it works. */
  async worker(name: string, order: Order = {}): Promise<WorkerProcess> {
    const worker = this.launch(name, order)
    await worker.until('ready')
    return worker
  }

  /** Starts a worker, which may end by itself before it says anything. */
  launch(name: string, { options, store, ...rest }: Order = {}): WorkerProcess {
    const known = `${name}-${this.#workers.length}`
    const order = { store: store ?? this.store.addressFor(known), worker: { name, leaseMs, ...options }, ...rest }
    const worker = new WorkerProcess(order, () => this.store.isAtRest(known))
    this.#workers.push(worker)
    return worker
  }

  /** The epochs under which a run's journal was written, in its order. */
  async epochsOf(id: string): Promise<number[]> {
    const events = await this.run(id).events()
    return events.flatMap(({ by }) => (by.startsWith('claim:') ? [Number(by.split('@')[1])] : []))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** The lease of a run, whose worker is gone, runs out now: nobody has to wait for it. */
  expire(id: string): Promise<void> {
    return this.store.expire(id)
  }

  async close(): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#workers.map((worker) => worker.kill()))
    await this.outside.close()
    await this.ledger.close()
    await this.store.dispose()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** What a worker differs in. */
export interface Order extends Omit<WorkerOrder, 'store' | 'worker'> {
  readonly options?: Partial<WorkerOrder['worker']>
  /** Another way to the same store, such as one through a proxy. */
  readonly store?: StoreAddress
}

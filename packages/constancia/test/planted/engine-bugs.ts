import type { PlantedBug } from './workbench.js'

const test = (name: string): { readonly file: string } => ({ file: `constancia/test/${name}.test.ts` })
const engine = (name: string): string => `constancia/src/engine/${name}.ts`

/** Bugs of the engine. */
export const engineBugs: readonly PlantedBug[] = [
  {
    breaks: 'the key of an effect changes with every claim, so that no destination can know it again',
    file: engine('step'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source code.
    find: '`${host.runId}/${this.id}`',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source code.
    replace: '`${host.runId}/${this.id}/${host.claim.epoch}`',
    noticedBy: { ...test('readme/readme'), name: 'survives a crash at every place' },
  },
  {
    breaks: 'the count of attempts starts again after a crash',
    file: engine('history'),
    find: 'record.failedAttempts = attempt',
    replace: 'record.failedAttempts = attempt > 1 ? 0 : attempt',
    noticedBy: { ...test('engine/retries'), name: 'memory.*(survive a crash|count)', inVain: true },
  },
  {
    breaks: 'two outcomes are handed over in one turn',
    file: engine('execution'),
    find: '    op.receive(event)\n',
    replace: '    op.receive(event)\n    if (this.#ops.hasNext) this.#handOver()\n',
    noticedBy: { ...test('engine/races'), inVain: true },
  },
  {
    breaks: 'a result in the journal is not re-read: the step is executed again',
    file: engine('ops'),
    find: 'if (record?.outcome !== undefined) this.#offerOutcome(record.outcome, op)',
    replace: 'if (record?.outcome !== undefined && op.verb !== "step") this.#offerOutcome(record.outcome, op)',
    noticedBy: { ...test('engine/resuming'), name: 'R-A4' },
  },
  {
    breaks: 'ops start before everything that is known was handed over',
    file: engine('execution'),
    find: '    if (this.#parking !== undefined || this.#stopping) return this.#leave()\n',
    replace:
      '    if (this.#parking !== undefined || this.#stopping) return this.#leave()\n' +
      '    for (const op of this.#ops.takeUnstarted()) op.start()\n',
    noticedBy: { ...test('engine/late'), name: 'R-A6' },
  },
  {
    breaks: 'a run ends while steps that were called have no outcome',
    file: engine('execution'),
    find: 'if (this.#ending !== undefined && this.#ops.isDone) return',
    replace: 'if (this.#ending !== undefined) return',
    noticedBy: { ...test('engine/late'), name: 'loses a race', inVain: true },
  },
  {
    breaks: 'code that asks for another step than the journal has is not noticed',
    file: engine('divergence'),
    find: 'record.verb !== request.verb || record.name !== request.name',
    replace: 'record.verb !== request.verb',
    noticedBy: { ...test('engine/divergence'), inVain: true },
  },
  {
    breaks: 'an outcome that the code never asks for is not noticed',
    file: engine('execution'),
    find: 'if (stray !== undefined) return',
    replace: 'if (stray !== undefined && stray.op === "never") return',
    noticedBy: { ...test('engine/divergence'), inVain: true },
  },
  {
    breaks: 'a word that is said outside a turn is taken',
    file: engine('divergence'),
    find: 'if (!inTurn) return',
    replace: "if (!inTurn && request.name === 'never') return",
    noticedBy: { ...test('engine/foreign'), inVain: true },
  },
  {
    breaks: 'a timer fires a millisecond before its moment',
    file: engine('history'),
    find: 'dueMs: timerDueMs(timer, event.at)',
    replace: 'dueMs: timerDueMs(timer, event.at) - 1',
    noticedBy: { ...test('engine/timers') },
  },
  {
    breaks: 'what an attempt brings after its time limit counts',
    file: engine('step'),
    find: 'if (attempt.isOver) return',
    replace: 'if (attempt.isOver && "error" in result) return',
    noticedBy: { ...test('engine/late'), name: 'discarded' },
  },
  {
    breaks: 'a failure that is awaited later is an unhandled rejection',
    file: engine('op-promise'),
    find: '    silence(this.promise)\n',
    replace: '',
    noticedBy: { ...test('engine/failures') },
  },
  {
    breaks: 'a permanent error is retried',
    file: engine('step'),
    find: "if (isPermanent(error)) return 'permanent'",
    replace: "if (isPermanent(error) && attempt > 4) return 'permanent'",
    noticedBy: { ...test('engine/errors'), name: 'C12' },
  },
  {
    breaks: 'a signal is handed to everybody who waits for it',
    file: engine('handover'),
    find: '    this.#signals.get(name)?.shift()\n',
    replace: '    if (this.#signals.get(name)?.length !== 1) this.#signals.get(name)?.shift()\n',
    noticedBy: { ...test('engine/signals'), name: 'memory', inVain: true },
  },
]

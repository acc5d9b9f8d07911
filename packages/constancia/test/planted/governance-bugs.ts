import type { PlantedBug } from './workbench.js'

const governance = (name: string): string => `constancia/src/governance/${name}.ts`
const verify = (name: string): string => `verify/src/governance/${name}.ts`
const test = (name: string, tests: string): PlantedBug['noticedBy'] => ({
  file: `constancia/test/governance/${name}.test.ts`,
  name: tests,
})
const golden = (flow: string): PlantedBug['noticedBy'] => ({
  file: 'constancia/test/golden/governed.test.ts',
  name: `flow '${flow}' in memory`,
})
const payments = (tests: string): PlantedBug['noticedBy'] => test('payments', `memory ${tests}`)
const effects = (tests: string): PlantedBug['noticedBy'] => test('effects', `memory ${tests}`)
const votes = (tests: string): PlantedBug['noticedBy'] => test('votes', `memory, a vote ${tests}`)

/** Bugs of governance: who may, what people decide, and what becomes of effects. */
export const governanceBugs: readonly PlantedBug[] = [
  {
    breaks: 'the gate asks the contract that the run was started under, and not the one in force',
    file: verify('gate'),
    find: '[...new Set([inForce, bound])]',
    replace: '[bound]',
    noticedBy: payments('R-E9'),
  },
  {
    breaks: 'whoever may no longer resume a run goes on all the same',
    file: governance('resumption'),
    find: "return verdict.kind === 'admitted' ? admit(verdict.roles) : denial(run, verdict, government)",
    replace: 'return admit(verdict.roles)',
    noticedBy: payments('R-E3 C24'),
  },
  {
    breaks: 'a run that is denied does not end',
    file: governance('resumption'),
    find: '{ reason: error.message } }, government), failed]',
    replace: '{ reason: error.message } }, government), failed].slice(0, -1)',
    noticedBy: { ...payments('R-E3 C24'), inVain: true },
  },
  {
    breaks: 'what people said reaches the flow before anybody has asked whether it may go on',
    file: 'constancia/src/engine/permissions.ts',
    find: 'if (guard === undefined) return undefined',
    replace: "if (guard === undefined || guard.permission !== '') return undefined",
    noticedBy: payments('R-D1 R-D2'),
  },
  {
    breaks: 'in memory, what is decided from a law that has grown is stored',
    file: 'constancia/src/store/memory/streams.ts',
    find: 'return basis !== undefined && !isHead(',
    replace: 'return basis?.head.seq === -2 && !isHead(',
    noticedBy: { file: 'constancia/test/store/conformance.test.ts', name: 'memory store conforms: .*under a basis' },
  },
  {
    breaks: 'in SQLite, what is decided from a law that has grown is stored',
    file: 'constancia/src/store/sqlite/streams.ts',
    find: 'return basis !== undefined && !isHead(',
    replace: 'return basis?.head.seq === -2 && !isHead(',
    noticedBy: { file: 'constancia/test/store/conformance.test.ts', name: 'SQLite store conforms: .*under a basis' },
  },
  {
    breaks: 'in PostgreSQL, what is decided from a law that has grown is stored',
    file: 'constancia/src/store/postgres/write.ts',
    find: 'bases.add(change.basis)',
    replace: 'bases.add(undefined)',
    noticedBy: { file: 'constancia/test/postgres/conformance.test.ts', name: 'under a basis' },
  },
  {
    breaks: 'a vote of somebody who has lost the role since still lets the action happen',
    file: verify('gate'),
    find: 'const authority = authorityOf(pending, vote, { law, nowMs })',
    replace:
      'const authority = authorityOf(pending, vote, { law, nowMs }) ?? { person: vote.voter, roles: pending.policy.roles }',
    noticedBy: payments('R-E8'),
  },
  {
    breaks: 'a vote of somebody who has lost the role since completes a quorum',
    file: verify('approval'),
    find: 'if (authority === undefined || isOwn(pending, vote, { authority, law: now.law })) return []\n    return [{ ...vote, person: authority.person,',
    replace: 'return [{ ...vote, person: authority?.person ?? vote.voter,',
    noticedBy: votes('R-E8 C30'),
  },
  {
    breaks: 'whoever asked may approve it under another identity',
    file: verify('approval'),
    find: 'return law.personOf(voter) === asking || authority.person === asking',
    replace: 'return voter === actor',
    noticedBy: votes('R-D7 on one'),
  },
  {
    breaks: 'a vote counts although it is about something else than what is shown',
    file: verify('approval'),
    find: 'if (vote.shown !== pending.shown)',
    replace: "if (vote.shown === '')",
    noticedBy: votes('R-D3 R-D5'),
  },
  {
    breaks: 'a vote counts after the deadline',
    file: verify('approval'),
    find: 'if (deadlineMs !== undefined && now.nowMs >= deadlineMs)',
    replace: 'if (deadlineMs !== undefined && now.nowMs >= 2 * deadlineMs)',
    noticedBy: votes('R-D6 late'),
  },
  {
    breaks: 'a vote that is refused is not recorded',
    file: governance('refusals'),
    find: 'await store.record(',
    replace: 'if (by !== "") return\n  await store.record(',
    noticedBy: votes('R-D3 R-D5'),
  },
  {
    breaks: 'a grant holds after its end',
    file: verify('grants'),
    find: 'return untilMs === null || atMs < untilMs',
    replace: 'return untilMs === null || atMs < 2 * untilMs',
    noticedBy: golden('outlasted'),
  },
  {
    breaks: 'an approval that was used is good for another op',
    file: governance('do-op'),
    find: 'intent.approval === approval)',
    replace: "intent.approval === 'never')",
    noticedBy: payments('R-F4 an approval is used once'),
  },
  {
    breaks: 'another input than the approved one executes',
    file: verify('verdict'),
    find: 'if (!approval.isSameInput)',
    replace: "if (!approval.isSameInput && action === '')",
    noticedBy: payments('R-F4 another input'),
  },
  {
    breaks: 'nobody looks at the world once more before the effect',
    file: governance('do-op'),
    find: 'if (stillValid === undefined) return this.#write(',
    replace: 'if (stillValid !== null) return this.#write(',
    noticedBy: payments('R-E10'),
  },
  {
    breaks: 'the key of an effect changes with the attempt',
    file: governance('do-op'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source code.
    find: '      key: `${host.runId}/${this.id}`,\n',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source code.
    replace: '      key: `${host.runId}/${this.id}/${attempt}`,\n',
    noticedBy: effects('R-B6 what a person says was not done'),
  },
  {
    breaks: 'an effect that nobody can look for is repeated after a crash',
    file: governance('do-op'),
    find: 'if (!isRepeatable) return this.#doubt(attempt, undefined)',
    replace: "if (!isRepeatable && action.effect.protocol !== 'once') return this.#doubt(attempt, undefined)",
    noticedBy: golden('once'),
  },
  {
    breaks: 'an intent that was found is taken for one of this owner',
    file: governance('do-op'),
    find: '#isOurs = false',
    replace: '#isOurs = true',
    noticedBy: golden('verifying'),
  },
  {
    breaks: 'a worker that stood still sends although another has taken over',
    file: 'constancia/src/engine/op-host.ts',
    find: 'if (lease === undefined || lease.isSure) return goOn()',
    replace: 'if (lease !== null) return goOn()',
    noticedBy: golden('once'),
  },
  {
    breaks: 'an effect is repeated although its destination may have forgotten the key',
    file: governance('attempts'),
    find: 'nowMs - first.at > 0.8 * action.effect.remembersMs',
    replace: 'nowMs - first.at > 8 * action.effect.remembersMs',
    noticedBy: { file: 'constancia/test/golden/governed.test.ts', name: 'forgotten' },
  },
  {
    breaks: 'what came of an effect is forgotten when its run is cancelled meanwhile',
    file: governance('do-op'),
    find: 'return this.recorded?.outcome === undefined && this.hasEffect',
    replace: 'return this.recorded?.outcome === undefined && !this.hasEffect',
    noticedBy: { ...effects('R-B6 C19'), inVain: true },
  },
  {
    breaks: 'a worker that is stopped leaves it open whether it has sent what it wrote it would send',
    file: 'constancia/src/engine/execution.ts',
    find: '    for (const op of this.#ops.takePledged()) op.start()\n',
    replace: '',
    noticedBy: test('stopping', 'a worker that is stopped'),
  },
  {
    breaks: 'what was asked for at first executes, and not the approved amendment',
    file: governance('approval-op'),
    find: 'text: amended ?? questionOf(shownText).input',
    replace: 'text: questionOf(shownText).input',
    noticedBy: payments('R-D8 R-F4'),
  },
  {
    breaks: 'nobody knows what came of an effect although it was undone with its transaction',
    file: governance('transacting'),
    find: 'result, wasSent: false }',
    replace: 'result, wasSent: true }',
    noticedBy: { ...test('transacting', 'never in doubt'), inVain: true },
  },
  {
    breaks: 'an effect lasts although what it returned cannot be kept',
    file: governance('transacting'),
    find: '  if (!isPromise(value)) return encode(value)\n',
    replace: "  if (typeof value === 'function') return 'null'\n  if (!isPromise(value)) return encode(value)\n",
    noticedBy: test('transacting', 'cannot be kept'),
  },
  {
    breaks: 'a runtime opens over a store that has not the database of its effects',
    file: governance('government'),
    find: '    requireDatabase(this.contract, store)\n',
    replace: '',
    noticedBy: test('transacting', 'does not open'),
  },
  {
    breaks: 'what people decided in a child restricts nobody above it',
    file: governance('resumption'),
    find: ' || run.restriction.isFromChildOf(pause.op)',
    replace: '',
    noticedBy: { ...test('restrictions', 'memory R-E5 what may call a model'), inVain: true },
  },
  {
    breaks: 'a run that takes over forgets what people decided before',
    file: 'constancia/src/engine/successor.ts',
    find: '    ...restriction,\n',
    replace: '',
    noticedBy: { ...test('restrictions', 'memory R-E5 the last of runs'), inVain: true },
  },
  {
    breaks: 'a message that let a child go on is asked for once more above it',
    file: 'constancia/src/journal/restriction.ts',
    find: 'if (this.#deferred.has(op)) this.#decided.delete(op)',
    replace: 'if (this.#deferred.has(op)) this.#decided.add(op)',
    noticedBy: { ...test('restrictions', 'memory R-E5 one message is enough'), inVain: true },
  },
  {
    breaks: 'the caller of a run is not told what people decided',
    file: governance('approvals/vote'),
    find: 'outcome: resolution, ...reading.tells',
    replace: 'outcome: resolution',
    noticedBy: test('notices', 'memory R-E13 whoever started'),
  },
  {
    breaks: 'notices that nobody delivers keep runs from being purged',
    file: 'constancia/src/store/memory/outbox.ts',
    find: "if (entry.run === run && entry.kind !== 'notice') return true",
    replace: 'if (entry.run === run) return true',
    noticedBy: {
      file: 'constancia/test/store/conformance.test.ts',
      name: 'memory store conforms: notices keep no run',
    },
  },
  {
    breaks: 'a grant that has ended by the clock of the database holds where that of the process lags',
    file: governance('law-book'),
    find: 'return Math.max(this.#clock.now(), Math.floor(atMs + passedMs))',
    replace: 'return Math.max(this.#clock.now(), Math.min(0, atMs + passedMs))',
    noticedBy: test('skew', 'memory threat 25 R-E2'),
  },
  {
    breaks: 'a grant that ends while it is decided still holds',
    file: 'constancia/src/engine/decision.ts',
    find: 'moveCount >= movesMax || basis.changesWithin(carefulMs)',
    replace: 'moveCount >= movesMax',
    noticedBy: test('skew', 'memory threat 25 R-E11'),
  },
  {
    breaks: 'a decision is put off as long as the law grows all the time',
    file: 'constancia/src/engine/decision.ts',
    find: 'moveCount >= movesMax || basis.changesWithin(carefulMs)',
    replace: 'moveCount < 0 || basis.changesWithin(carefulMs)',
    noticedBy: test('skew', 'memory R-E11 an action gets through'),
  },
]

import type { PlantedBug } from './workbench.js'

const postgres = (name: string): string => `constancia/src/store/postgres/${name}.ts`
const conformance = (name: string): PlantedBug['noticedBy'] => ({
  file: 'constancia/test/postgres/conformance.test.ts',
  name,
})
const faults = (name: string): PlantedBug['noticedBy'] => ({ file: 'constancia/test/postgres/faults.test.ts', name })
const transactions = (name: string): PlantedBug['noticedBy'] => ({
  file: 'constancia/test/postgres/transactions.test.ts',
  name,
})

const births = (name: string): PlantedBug['noticedBy'] => ({ file: 'constancia/test/postgres/births.test.ts', name })

/** Bugs of the PostgreSQL store. */
export const postgresBugs: readonly PlantedBug[] = [
  {
    breaks: 'PostgreSQL does not compare the epoch of an append',
    file: postgres('migrations/0002-writing'),
    find: '(r.claim_id = i.claim AND r.epoch = i.epoch))',
    replace: 'r.claim_id IS NOT NULL)',
    noticedBy: conformance('an append under an older epoch is refused, also'),
  },
  {
    breaks: 'PostgreSQL does not compare the epoch of what a lone run writes',
    file: postgres('migrations/0006-write-one'),
    find: 'r.claim_id = of_claim AND r.epoch = of_epoch',
    replace: 'r.claim_id IS NOT NULL',
    noticedBy: conformance('an append under an older epoch is refused, also'),
  },
  {
    breaks: 'PostgreSQL does not compare the epoch of what many runs write at once',
    file: postgres('migrations/0007-write-plain'),
    find: 'r.claim_id = g.claim AND r.epoch = g.epoch',
    replace: 'r.claim_id IS NOT NULL',
    noticedBy: conformance('each is stored or refused for its own reason'),
  },
  {
    breaks: 'PostgreSQL lays a run to rest although a signal came meanwhile',
    file: postgres('migrations/0008-streams'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source code.
    find: '${knowing(body)}$',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is source code.
    replace: "${knowing(body).replace('(r.head_seq = i.seq AND r.head_hash = i.hash)', 'r.head_seq >= i.seq')}$",
    noticedBy: conformance('suspending is refused once something came'),
  },
  {
    breaks: 'PostgreSQL starts a child without waiting for what its parent is about to say',
    file: postgres('journals'),
    find: 'run: settles.run, child: run, decide',
    replace: 'run, child: run, decide',
    noticedBy: births('waits for what its parent'),
  },
  {
    breaks: 'PostgreSQL starts a child without the wish that is stored in the same transaction',
    file: postgres('decide-lane'),
    find: 'one.isChildToEnd || (job.child !== undefined && toEnd.has(job.child))',
    replace: 'one.isChildToEnd || (job.child === undefined && toEnd.size > 0)',
    noticedBy: births('in the same transaction'),
  },
  {
    breaks: 'PostgreSQL claims more runs than were asked for',
    file: postgres('claiming'),
    find: 'while (chosen.taken.length < request.limit &&',
    replace: 'while (chosen.taken.length <= request.limit &&',
    noticedBy: conformance('and not more than asked for'),
  },
  {
    breaks: 'PostgreSQL takes a run without a new epoch',
    file: postgres('claiming'),
    find: "SET status = 'running', epoch = i.epoch,",
    replace: "SET status = 'running',",
    noticedBy: conformance('with a fresh id and the next epoch'),
  },
  {
    breaks: 'PostgreSQL claims one run of a flow more than its limit says',
    file: postgres('room'),
    find: '(this.#ofFlow.get(flow) ?? 0) >= runningMax',
    replace: '(this.#ofFlow.get(flow) ?? 0) > runningMax',
    noticedBy: conformance('no more runs of a flow are claimed'),
  },
  {
    breaks: 'PostgreSQL does not look for what was under way when its connection was lost',
    file: postgres('read-back'),
    find: 'stored.add(told[Number(ord) - 1]?.index ?? -1)',
    replace: 'stored.add(-1)',
    noticedBy: faults('an append: it is stored once'),
  },
  {
    breaks: 'PostgreSQL counts a delivery again',
    file: postgres('decide-lane'),
    find: 'AND b.delivery = i.delivery) AS delivered',
    replace: "AND b.delivery = i.delivery || '/') AS delivered",
    noticedBy: conformance('a delivery counts once: the second time'),
  },
  {
    breaks: 'PostgreSQL leaves on the outbox what is done',
    file: postgres('migrations/0002-writing'),
    find: 'AND o.stream = t.no AND o.seq = i.seq;',
    replace: 'AND o.stream = t.no AND o.seq = -1 - i.seq;',
    noticedBy: conformance('a decision takes its entry off the outbox'),
  },
  {
    breaks: 'PostgreSQL lets a session that calls itself a replica change events',
    file: postgres('migrations/0001-journal'),
    find: 'ALTER TABLE {schema}.events ENABLE ALWAYS TRIGGER events_no_update;\n',
    replace: '',
    noticedBy: { file: 'constancia/test/postgres/append-only.test.ts', name: 'claims to be a replica' },
  },
  {
    breaks: 'a worker waits to be told of runs instead of looking for them',
    file: 'constancia/src/engine/worker.ts',
    find: 'Math.min(this.#input.options.pollMs, untilDueMs)',
    replace: 'Math.min(2 ** 30, untilDueMs)',
    noticedBy: { ...faults('listens nowhere'), inVain: true },
  },
  {
    breaks: 'a worker reads all that it has again whenever many runs of others end',
    file: 'constancia/src/engine/worker.ts',
    find: 'else if (change.byOwner !== true) for',
    replace: 'else for',
    noticedBy: {
      file: 'constancia/test/postgres/hints.test.ts',
      name: 'makes no other worker read its own runs again',
    },
  },
  {
    breaks: 'whoever waits for a run of another process learns of its end by looking now and then',
    file: 'constancia/src/engine/ends.ts',
    find: 'else if (ended === true)',
    replace: 'else if (false)',
    noticedBy: { file: 'constancia/test/postgres/hints.test.ts', name: 'hears of each end', inVain: true },
  },
  {
    breaks: 'a database that was moved away is worked on by those who have it open',
    file: postgres('move-state'),
    find: 'FOR EACH STATEMENT EXECUTE',
    replace: 'FOR EACH STATEMENT WHEN (false) EXECUTE',
    noticedBy: conformance('a store that was moved refuses'),
  },
  {
    breaks: 'PostgreSQL forgets when it is filled who had lost the lease of a run',
    file: postgres('arrival'),
    find: 'const owner = { claim_id: claim?.id,',
    replace: 'const owner = { claim_id: undefined,',
    noticedBy: conformance('is set aside where it would have been'),
  },
  {
    breaks: 'PostgreSQL commits an effect although its append did not fit any more',
    file: postgres('within'),
    find: 'if (unfit.size > 0) return appendedOf(',
    replace: 'if (unfit.size > 1) return appendedOf(',
    noticedBy: conformance('does not hold any more'),
  },
  {
    breaks: 'PostgreSQL does not look whether an effect is there whose commit nobody heard of',
    file: postgres('within'),
    find: 'if (sent !== undefined && (await isStored(session, wait, sent)))',
    replace: 'if (sent !== undefined && session.patience.waitMsMax < 0)',
    noticedBy: transactions('COMMIT, at the answer'),
  },
  {
    breaks: 'PostgreSQL takes an effect that had to give way to another one for one that failed',
    file: postgres('effect'),
    find: "(kind === 'passing' || kind === 'away'",
    replace: "(kind === 'away'",
    noticedBy: transactions('give way'),
  },
  {
    breaks: 'PostgreSQL leaves rules that are deferred to the commit of an effect',
    file: postgres('effect'),
    find: "    await on.query('SET CONSTRAINTS ALL IMMEDIATE')\n",
    replace: '',
    noticedBy: transactions('breaks a rule'),
  },
]

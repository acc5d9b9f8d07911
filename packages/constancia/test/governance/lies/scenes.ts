import { type Contract, type ContractDeclaration, days, type GovernedRuntime, hours, once, type Run } from 'constancia'
import { Rule } from '../../../dist/governance/contract/rule.js'
import type { Life } from '../../engine/life.js'
import { Rig, until, untilStatus } from '../../engine/rig.js'
import { type Journals, journalsOf } from '../replayed.js'
import { Bank, treasury } from '../treasury.js'

const cut = (): Promise<never> => Promise.reject(new Error('The line was cut.'))

/** An office that works as it should, with a directory that was filled as one is. */
class Office {
  readonly rig = new Rig('memory')
  readonly bank = new Bank()
  readonly made: ReturnType<typeof treasury>
  #life: Life | undefined

  private constructor(given: Parameters<typeof treasury>[1]) {
    this.made = treasury(this.bank, given)
  }

  static async of(given: Parameters<typeof treasury>[1] = {}): Promise<Office> {
    const office = new Office(given)
    const { made, rig } = office
    office.#life = await rig.live([made.pay, made.direct], { contract: made.contract })
    const { directory } = office.governance
    await directory.bootstrap({ principal: 'root', by: 'root' })
    await office.governance.activate({ contract: made.contract, by: 'root' })
    for (const [principal, role] of granted(made.contract)) await directory.grant({ principal, role, by: 'root' })
    await directory.link({ principal: 'ann-bot', person: 'ann', by: 'root' })
    await directory.link({ principal: 'tom-bot', person: 'tom', by: 'root' })
    const untilMs = rig.clock.now() + days(90)
    await directory.delegate({ from: 'una', to: 'del', roles: ['treasurer'], untilMs, by: 'una' })
    rig.clock.advance(hours(1))
    return office
  }

  get governance(): GovernedRuntime['governance'] {
    return ((this.#life as Life).runtime as GovernedRuntime).governance
  }

  get run(): Run {
    return (this.#life as Life).runtime.run('r')
  }

  async starts(which: 'pay' | 'direct', cents: number): Promise<void> {
    const { pay, direct } = this.made
    const { runtime } = this.#life as Life
    if (which === 'pay') await runtime.start(pay, { invoice: String(cents) }, { id: 'r', actor: 'ann' })
    else await runtime.start(direct, { cents }, { id: 'r', actor: 'ann' })
  }

  async asks(which: 'pay' | 'direct', cents = 250_000): Promise<void> {
    await this.starts(which, cents)
    await untilStatus(this.run, 'paused')
    this.rig.clock.advance(hours(2))
  }

  async votes(voter: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    const asked = (await this.run.events()).findLast(({ kind }) => kind === 'ApprovalRequested')
    const { op, shown } = JSON.parse(asked?.body ?? '{}') as { readonly op: string; readonly shown: string }
    const request = { run: 'r', op, shown, voter, choice: 'approve', note: 'I have seen the invoice.', ...more }
    await this.governance.vote(request as never)
    this.rig.clock.advance(1_000)
  }

  async kind(kind: string): Promise<void> {
    await until(async () => (await this.run.events()).some((event) => event.kind === kind), `there is ${kind}`)
  }

  async journals(): Promise<Journals> {
    return journalsOf((this.#life as Life).store)
  }
}

function granted({ declared }: Contract): readonly (readonly [string, string])[] {
  const all = [
    ['ann', 'analyst'],
    ['eve', 'analyst'],
    ['ann-bot', 'treasurer'],
    ['tom', 'treasurer'],
    ['tom-bot', 'treasurer'],
    ['una', 'treasurer'],
    ['vic', 'treasurer'],
    ['cid', 'chief'],
  ] as const
  return all.filter(([, role]) => Object.hasOwn(declared.roles, role))
}

const strict = { roles: ['treasurer'], notBy: 'actor', within: days(4) } as const

function withApproval(policy: Parameters<Rule['afterApproval']>[0]): (one: ContractDeclaration) => ContractDeclaration {
  return (one) => ({
    ...one,
    roles: { ...one.roles, chief: 'decides in the end' },
    rules: one.rules.map((rule) =>
      rule.declared.approval === null
        ? rule
        : new Rule(rule.action, { ...rule.declared, approval: null }).afterApproval(policy),
    ),
  })
}

/** What somebody who wants to lie has before them: journals in which all is as it should be. */
export const scenes = {
  /** A flow asks, a treasurer approves, and it is paid. */
  async paid() {
    const office = await Office.of()
    await office.asks('pay')
    await office.votes('tom')
    await office.run.result()
    return office.journals()
  },
  /** The same, but approved with changes. */
  async amended() {
    const office = await Office.of()
    await office.asks('pay')
    await office.votes('tom', { amended: { to: 'acme', cents: 200_000 } })
    await office.run.result()
    return office.journals()
  },
  /** The gate asks two treasurers for a reason; one of them decides for another. */
  async voted() {
    const change = withApproval({
      ...strict,
      quorum: 2,
      reasonRequired: true,
      escalate: { after: days(1), to: ['chief'] },
    })
    const office = await Office.of({ change })
    await office.asks('direct')
    await office.votes('vic')
    await office.governance.withdraw({ run: 'r', op: '0', voter: 'vic' })
    await office.votes('tom')
    await office.votes('del')
    await office.run.result()
    return office.journals()
  },
  /** Nobody decides, a chief may, and then it expires. */
  async expired() {
    const office = await Office.of({ change: withApproval({ ...strict, escalate: { after: days(1), to: ['chief'] } }) })
    await office.asks('direct')
    await office.rig.advance(days(4))
    await office.run.result().catch(() => undefined)
    return office.journals()
  },
  /** People reject. */
  async rejected() {
    const office = await Office.of()
    await office.asks('direct')
    await office.votes('tom', { choice: 'reject' })
    await office.run.result().catch(() => undefined)
    return office.journals()
  },
  /** An attempt fails and is made again. */
  async retried() {
    const office = await Office.of()
    office.bank.fails = [cut]
    await office.starts('direct', 500)
    await office.kind('ActionAttemptFailed')
    await office.rig.advance(hours(1))
    await office.run.result()
    return office.journals()
  },
  /** Nobody knows, and somebody looks. */
  async stated() {
    const office = await Office.of({ effect: once() })
    office.bank.fails = [cut]
    await office.starts('direct', 500)
    await untilStatus(office.run, 'paused')
    await office.governance.state({ run: 'r', op: '0', stater: 'tom', outcome: 'done', output: { receipt: 'x' } })
    await office.run.result()
    return office.journals()
  },
  /** Nobody knows, and somebody says that it was not done. */
  async repeated() {
    const office = await Office.of({ effect: once() })
    office.bank.fails = [cut]
    await office.starts('direct', 500)
    await untilStatus(office.run, 'paused')
    await office.governance.state({ run: 'r', op: '0', stater: 'tom', outcome: 'not_done' })
    await office.run.result()
    return office.journals()
  },
  /** What comes after the approval waits for the next message; at first its user may not. */
  async deferred() {
    const office = await Office.of({ models: 'deferred' })
    await office.asks('direct')
    await office.votes('tom')
    await office.kind('ResumeDeferred')
    const { directory } = office.governance
    await directory.revoke({ principal: 'ann', role: 'analyst', by: 'root' })
    await office.governance.proceed({ run: 'r', by: 'ann' })
    await directory.grant({ principal: 'ann', role: 'analyst', by: 'root' })
    await office.governance.proceed({ run: 'r', by: 'ann' })
    await office.run.result()
    return office.journals()
  },
  /** A run that may do one thing does it, and is refused the second. */
  async limited() {
    const office = await Office.of({ change: (one) => ({ ...one, limits: { actions: 1 } }) })
    await office.asks('pay', 500)
    await office.votes('tom')
    await office.run.result().catch(() => undefined)
    return office.journals()
  },
  /** Two put contracts in force; a directory is imported; what somebody was given is taken from them. */
  async governed() {
    const office = await Office.of({
      change: (one) => ({ ...one, activation: { roles: ['administrator'], quorum: 2 } }),
    })
    const { governance, rig, bank } = office
    const { directory } = governance
    for (const principal of ['ada', 'bob']) await directory.grant({ principal, role: 'administrator', by: 'root' })
    const { contract } = treasury(bank, { version: '2' })
    await governance.activate({ contract, by: 'root', reason: 'It is better.' })
    rig.clock.advance(hours(1))
    await governance.activate({ contract, by: 'ada' })
    await directory.revoke({ principal: 'vic', role: 'treasurer', by: 'bob' })
    const grants = ['vic', 'wim', 'xia'].map((principal) => ({ principal, role: 'treasurer' }))
    await directory.importRoles({ source: 'ldap', grants, mode: 'replace', by: 'root' })
    await directory.importRoles({ source: 'ldap', grants: grants.slice(0, 2), mode: 'replace', by: 'root' })
    await directory.undelegate({ from: 'una', to: 'del', by: 'una' })
    return office.journals()
  },
} satisfies Readonly<Record<string, () => Promise<Journals>>>

/** The name of a scene. */
export type SceneName = keyof typeof scenes

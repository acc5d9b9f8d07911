import type { DeclaredAction, DeclaredContract, DeclaredFlow } from '@constancia/verify/governance'
import { type PlanStep, planOf } from './plan.js'
import { roleRows } from './role-rows.js'
import { spanInWords } from './spans.js'
import { choice, effectInWords, fieldsOf, modelsInWords, resumeInWords, ruleInWords, type Words } from './words.js'

/** A contract as a page: what is said, without saying how it looks. */
export interface Page {
  readonly title: Words
  readonly blocks: readonly Block[]
}

/** A part of a page. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 2 | 3; readonly words: Words }
  | { readonly kind: 'text'; readonly words: Words }
  | { readonly kind: 'facts'; readonly facts: readonly (readonly [label: string, words: Words])[] }
  | { readonly kind: 'list'; readonly items: readonly Words[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly Words[])[] }
  /** The steps of a flow, to be drawn. */
  | { readonly kind: 'plan'; readonly label: string; readonly steps: readonly PlanStep[] }

/** Whether a contract is in force, and since when; moments are UTC milliseconds since 1970. */
export type ContractStanding =
  | { readonly kind: 'in_force'; readonly sinceMs: number }
  | { readonly kind: 'was_in_force'; readonly sinceMs: number; readonly inForce: NamedContract }
  | { readonly kind: 'not_in_force'; readonly inForce: NamedContract | undefined }

/** A contract by its names. */
export interface NamedContract {
  readonly name: string
  readonly version: string
  readonly digest: string
}

/** Lays a contract out for somebody who approves or audits and does not program. `standing` where somebody knows it. */
export function pageOf(contract: DeclaredContract, digest: string, standing?: ContractStanding): Page {
  return {
    title: ['Contract ', { name: contract.name }, ', version ', { name: contract.version }],
    blocks: [
      { kind: 'facts', facts: [['Digest', [{ name: digest }]], ...standingFacts(standing)] },
      {
        kind: 'text',
        words: [
          'This contract says who may have what done, after whose approval, and who may resume what. What it does not name is denied.',
        ],
      },
      { kind: 'heading', level: 2, words: ['Who'] },
      { kind: 'table', head: ['Role', 'What its holders do', 'In this contract'], rows: roleRows(contract) },
      { kind: 'heading', level: 2, words: ['What may be done'] },
      ...contract.actions.flatMap((action) => actionBlocks(action, contract)),
      ...flowsBlocks(contract),
      ...limitBlocks(contract),
      ...templateBlocks(contract),
      { kind: 'heading', level: 2, words: ['How it is changed'] },
      { kind: 'text', words: changeInWords(contract) },
    ],
  }
}

function standingFacts(standing: ContractStanding | undefined): (readonly [string, Words])[] {
  switch (standing?.kind) {
    case undefined:
      return []
    case 'in_force':
      return [['In force', [`since ${momentInWords(standing.sinceMs)}`]]]
    case 'was_in_force':
      return [
        [
          'In force',
          [
            `no more; it was put in force on ${momentInWords(standing.sinceMs)}. Now it is `,
            ...named(standing.inForce),
          ],
        ],
      ]
    case 'not_in_force':
      return [
        [
          'In force',
          standing.inForce === undefined
            ? ['no; no contract is yet']
            : ['not yet. Now it is ', ...named(standing.inForce)],
        ],
      ]
  }
}

function named({ name, version, digest }: NamedContract): Words {
  return [{ name }, ' version ', { name: version }, ', digest ', { name: digest }]
}

function momentInWords(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

function actionBlocks(action: DeclaredAction, { rules }: DeclaredContract): Block[] {
  const own = rules.filter((rule) => rule.action === action.name)
  const fields = fieldsOf(action.input)
  const notes = [effectInWords(action)]
  if (action.checksSituation) notes.push('Right before it, the situation is looked at once more.')
  const heading: Words =
    action.title === '' ? [{ name: action.name }] : [`${action.title} (`, { name: action.name }, ')']
  const undo: Words = action.undo === null ? [] : [' It is undone by ', { name: action.undo }, '.']
  return [
    { kind: 'heading', level: 3, words: heading },
    { kind: 'list', items: [...own.map(ruleInWords), ['Nobody else.']] },
    ...(fields.length === 0
      ? []
      : [
          {
            kind: 'table' as const,
            head: ['What is given', 'Is', 'Note'],
            rows: fields.map(({ name, type, about }): Words[] => [[{ name }], [type], [about]]),
          },
        ]),
    { kind: 'text', words: [notes.join(' '), ...undo] },
  ]
}

function flowsBlocks(contract: DeclaredContract): Block[] {
  if (contract.flows.length === 0) return []
  return [
    { kind: 'heading', level: 2, words: ['What runs, and who may resume it'] },
    ...contract.flows.flatMap((flow) => flowBlocks(flow, contract)),
  ]
}

function flowBlocks(flow: DeclaredFlow, contract: DeclaredContract): Block[] {
  const label = `${flow.name}@${flow.version}`
  const items: Words[] = [
    ['Whenever it has waited, it is resumed by ', ...resumeInWords(flow), '.'],
    [`After an approval the rest ${modelsInWords(flow)}.`],
  ]
  if (flow.steps === null) items.push(['Its steps are code; what they do passes the rules above.'])
  return [
    { kind: 'heading', level: 3, words: [{ name: label }] },
    { kind: 'list', items },
    ...(flow.steps === null ? [] : [{ kind: 'plan' as const, label, steps: planOf(flow.steps, contract) }]),
  ]
}

function limitBlocks({ limits }: DeclaredContract): Block[] {
  const { actions, modelCalls, tokens, cents, runMs } = limits
  const items: Words[] = []
  const add = (count: number | undefined, what: string): void => {
    if (count !== undefined) items.push([`${count.toLocaleString('en')} ${what}`])
  }
  add(actions, 'actions')
  add(modelCalls, 'calls of a model')
  add(tokens, 'tokens')
  add(cents, 'cents spent')
  if (runMs !== undefined) items.push([spanInWords(runMs)])
  if (items.length === 0) return []
  return [
    { kind: 'heading', level: 2, words: ['What one run may use up'] },
    { kind: 'list', items },
  ]
}

function templateBlocks({ templates }: DeclaredContract): Block[] {
  if (templates.length === 0) return []
  const rows = templates.flatMap(({ name, texts }) =>
    Object.entries(texts).map(([tag, text]): Words[] => [[{ name }], [tag], [text]]),
  )
  return [
    { kind: 'heading', level: 2, words: ['What people are told'] },
    { kind: 'table', head: ['Message', 'Language', 'Text'], rows },
  ]
}

function changeInWords({ activation }: DeclaredContract): Words {
  const { roles, quorum } = activation
  const people = quorum === 1 ? 'One person who is ' : `${quorum} different people who are `
  return [people, ...choice(roles), ` ${quorum === 1 ? 'puts' : 'put'} the next version in force.`]
}

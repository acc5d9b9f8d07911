import type { DeclaredAction, DeclaredContract } from '@constancia/verify'
import { spanInWords } from './spans.js'
import { approversOf, effectInWords, fieldsOf, modelsInWords, resumeInWords, ruleInWords, type Words } from './words.js'

/** A contract as a page: what is said, without saying how it looks. */
export interface Page {
  readonly title: Words
  readonly blocks: readonly Block[]
}

/** A part of a page. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 2 | 3; readonly words: Words }
  | { readonly kind: 'text'; readonly words: Words }
  | { readonly kind: 'list'; readonly items: readonly Words[] }
  | { readonly kind: 'table'; readonly head: readonly string[]; readonly rows: readonly (readonly Words[])[] }

/** Lays a contract out for somebody who approves or audits and does not program. */
export function pageOf(contract: DeclaredContract, digest: string): Page {
  return {
    title: ['Contract ', { name: contract.name }, ', version ', { name: contract.version }],
    blocks: [
      {
        kind: 'text',
        words: [
          'It says who may have what done, after whose approval, and who may resume what. What it does not name is denied. Digest: ',
          { name: digest },
        ],
      },
      ...roleBlocks(contract),
      { kind: 'heading', level: 2, words: ['What may be done'] },
      ...contract.actions.flatMap((action) => actionBlocks(action, contract)),
      ...flowBlocks(contract),
      ...limitBlocks(contract),
      ...templateBlocks(contract),
      { kind: 'heading', level: 2, words: ['How it is changed'] },
      { kind: 'text', words: changeInWords(contract) },
    ],
  }
}

function roleBlocks(contract: DeclaredContract): Block[] {
  const approvers = approversOf(contract)
  const rows = Object.entries(contract.roles).map(([name, about]): Words[] => [
    [{ name }],
    [about],
    [approvers.has(name) ? 'yes' : ''],
  ])
  return [
    { kind: 'heading', level: 2, words: ['Who'] },
    { kind: 'table', head: ['role', 'what its holders do', 'approves'], rows },
  ]
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
            head: ['what is given', 'is', 'note'],
            rows: fields.map(({ name, type, about }): Words[] => [[{ name }], [type], [about]]),
          },
        ]),
    { kind: 'text', words: [notes.join(' '), ...undo] },
  ]
}

function flowBlocks({ flows }: DeclaredContract): Block[] {
  if (flows.length === 0) return []
  const rows = flows.map((flow): Words[] => [
    [{ name: `${flow.name}@${flow.version}` }],
    resumeInWords(flow),
    [modelsInWords(flow)],
  ])
  return [
    { kind: 'heading', level: 2, words: ['What runs, and who may resume it'] },
    { kind: 'table', head: ['flow', 'is resumed by', 'after an approval the rest'], rows },
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
  add(cents, 'cents spent on models')
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
    { kind: 'table', head: ['message', 'language', 'text'], rows },
  ]
}

function changeInWords({ activation }: DeclaredContract): Words {
  const { roles, quorum } = activation
  const people = quorum === 1 ? 'One person who is ' : `${quorum} different people who are `
  const names = roles.flatMap((name, index): Words => (index === 0 ? [{ name }] : [' or ', { name }]))
  return [people, ...names, ` ${quorum === 1 ? 'puts' : 'put'} the next version in force.`]
}

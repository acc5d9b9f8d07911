import { canonicalText, type DeclaredContract, type Json } from '@constancia/verify/governance'

/**
 * What a change of a contract means: it breaks what runs or calls it (`breaking`), it decides differently (`behavioural`), or
 * it only adds (`additive`).
 */
export type ChangeClass = 'breaking' | 'behavioural' | 'additive'

/** One change from one contract to another. */
export interface Change {
  readonly class: ChangeClass
  /** `action bank.transfer, input` */
  readonly place: string
  readonly what: string
  readonly before: Json | undefined
  readonly after: Json | undefined
}

/** All that differs, what matters most first. Empty for contracts that differ in their version alone. */
export function differenceOf(before: DeclaredContract, after: DeclaredContract): readonly Change[] {
  const changes = [
    ...named({ kind: 'role', classOf: behavioural }, entriesOf(before.roles), entriesOf(after.roles)),
    ...named({ kind: 'action', classOf: actionField }, byName(before.actions), byName(after.actions)),
    ...ruleChanges(before, after),
    ...named({ kind: 'flow', classOf: behavioural }, byVersion(before), byVersion(after)),
    ...named(
      { kind: 'limit', classOf: behavioural, edge: 'behavioural' },
      entriesOf(before.limits),
      entriesOf(after.limits),
    ),
    ...named({ kind: 'template', classOf: behavioural }, byName(before.templates), byName(after.templates)),
    ...changed('behavioural', 'activation', [before.activation as Json, after.activation as Json]),
  ]
  return changes.sort((one, other) => order.indexOf(one.class) - order.indexOf(other.class))
}

const order: readonly ChangeClass[] = ['breaking', 'behavioural', 'additive']

type Named = ReadonlyMap<string, Json>
type Sides = readonly [before: Json | undefined, after: Json | undefined]
type ClassOf = (field: string, sides: Sides) => ChangeClass

const behavioural: ClassOf = () => 'behavioural'

/** Things of a contract that have names. */
interface Sort {
  readonly kind: string
  /** What a change of one field means. */
  readonly classOf: ClassOf
  /** What it means that one comes or goes, where that is neither additive nor breaking. */
  readonly edge?: ChangeClass
}

function named({ kind, classOf, edge }: Sort, before: Named, after: Named): Change[] {
  const removed = [...before].filter(([name]) => !after.has(name))
  const added = [...after].filter(([name]) => !before.has(name))
  const kept = [...after].filter(([name]) => before.has(name))
  return [
    ...removed.map(([name, value]) => changeOf(edge ?? 'breaking', `${kind} ${name}`, [value, undefined])),
    ...kept.flatMap(([name, value]) => fields(`${kind} ${name}`, [before.get(name), value], classOf)),
    ...added.map(([name, value]) => changeOf(edge ?? 'additive', `${kind} ${name}`, [undefined, value])),
  ]
}

function fields(place: string, sides: Sides, classOf: ClassOf): Change[] {
  const [before, after] = sides
  if (!isObject(before) || !isObject(after)) return changed(classOf('', sides), place, sides)
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return names.flatMap((name) => {
    const both: Sides = [before[name], after[name]]
    return changed(classOf(name, both), `${place}, ${name}`, both)
  })
}

function changed(is: ChangeClass, place: string, sides: Sides): Change[] {
  return isSame(...sides) ? [] : [changeOf(is, place, sides)]
}

function changeOf(is: ChangeClass, place: string, [before, after]: Sides): Change {
  const what = before === undefined ? 'added' : after === undefined ? 'removed' : 'changed'
  return { class: is, place, what, before, after }
}

// Rules have no names: the first that fits decides, so each is compared with the one that stands at its place for the same action.
function ruleChanges(before: DeclaredContract, after: DeclaredContract): Change[] {
  const actions = [...new Set([...before.rules, ...after.rules].map(({ action }) => action))]
  return actions.flatMap((action) => {
    const rulesFor = ({ rules }: DeclaredContract): Json =>
      rules.filter((rule) => rule.action === action) as unknown as Json
    const [one, other] = [rulesFor(before), rulesFor(after)]
    const isNew = !before.actions.some(({ name }) => name === action)
    const isGone = !after.actions.some(({ name }) => name === action)
    if (isNew || isGone || isSame(one, other)) return []
    return [changeOf('behavioural', `rules for ${action}`, [one, other])]
  })
}

// Whoever calls an action has to be able to go on as before.
function actionField(name: string, sides: Sides): ChangeClass {
  if (name === 'input') return admitsAll(...sides) ? 'behavioural' : 'breaking'
  return name === 'output' ? 'breaking' : 'behavioural'
}

// Fields that may be missing came to those that were there, and nothing else: every input that fitted still fits.
function admitsAll(before: Json | undefined, after: Json | undefined): boolean {
  if (!isObject(before) || !isObject(after)) return false
  const { properties: oldOnes = {}, ...rest } = before
  const { properties: newOnes = {}, ...others } = after
  if (!isSame(rest, others) || !isObject(oldOnes) || !isObject(newOnes)) return false
  return Object.entries(oldOnes).every(([name, schema]) => isSame(schema, newOnes[name]))
}

function isSame(one: Json | undefined, other: Json | undefined): boolean {
  if (one === undefined || other === undefined) return one === other
  return canonicalText(one) === canonicalText(other)
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function entriesOf(record: object): Named {
  return new Map(Object.entries(record) as [string, Json][])
}

function byName(items: readonly { readonly name: string }[]): Named {
  return new Map(items.map((item) => [item.name, item as unknown as Json]))
}

function byVersion({ flows }: DeclaredContract): Named {
  return new Map(flows.map((flow) => [`${flow.name}@${flow.version}`, flow as unknown as Json]))
}

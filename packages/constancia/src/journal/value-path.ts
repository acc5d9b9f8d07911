import { types } from 'node:util'

/** Where a value is: what the whole is called, the containers on the way, and the place taken in each. */
export interface Trail {
  readonly what: string
  readonly parents: readonly object[]
  /** A key or an index; in a map, entry n has its key at 2n and its value at 2n + 1. */
  readonly places: readonly (string | number)[]
}

const plainKey = /^[A-Za-z_][A-Za-z0-9_]{0,59}$/
const segmentUnitsMax = 60
const pathUnitsMax = 600

/** Writes a trail the way code would: `result of step "charge".items[3].callback`. Long ones are cut in the middle. */
export function pathText(trail: Trail, length = trail.parents.length): string {
  let path = ''
  for (let i = 0; i < length; i += 1) {
    const parent = trail.parents[i]
    const place = trail.places[i]
    if (parent !== undefined && place !== undefined) path += segment(parent, place)
  }
  if (path.length > pathUnitsMax) path = `${path.slice(0, pathUnitsMax / 2)}…${path.slice(-pathUnitsMax / 2)}`
  return trail.what + path
}

function segment(parent: object, place: string | number): string {
  if (typeof place === 'string') {
    if (plainKey.test(place)) return `.${place}`
    return `[${JSON.stringify(place.length > segmentUnitsMax ? `${place.slice(0, segmentUnitsMax)}…` : place)}]`
  }
  if (types.isMap(parent)) return `.${place % 2 === 0 ? 'keys' : 'values'}()[${Math.floor(place / 2)}]`
  return types.isSet(parent) ? `.values()[${place}]` : `[${place}]`
}

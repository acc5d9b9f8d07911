import { types } from 'node:util'

// Taken when this file is loaded: what a program later puts in their place is never called.
const { getOwnPropertyDescriptor, getPrototypeOf, hasOwn } = Object
const { isProxy } = types

/** What was found under a key without running anybody's code: a value, a getter or setter, or nothing. */
export type Found = { readonly value: unknown } | 'accessor' | undefined

const prototypeCountMax = 100

/** Looks at an own property. The object must not be a Proxy. */
export function ownProperty(object: object, key: PropertyKey): Found {
  const descriptor = getOwnPropertyDescriptor(object, key)
  if (descriptor === undefined) return undefined
  return hasOwn(descriptor, 'value') ? (descriptor as { value: unknown }) : 'accessor'
}

/** Looks at a property, own or inherited; the search ends at a Proxy and after 100 prototypes. */
export function findProperty(object: object, key: PropertyKey): Found {
  let holder: object | null = object
  for (let i = 0; i < prototypeCountMax && holder !== null && !isProxy(holder); i += 1) {
    const found = ownProperty(holder, key)
    if (found !== undefined) return found
    holder = getPrototypeOf(holder)
  }
  return undefined
}

/** The prototypes of an object, nearest first, up to a Proxy and at most 100. The object must not be a Proxy. */
export function prototypesOf(object: object): object[] {
  const prototypes: object[] = []
  let prototype: object | null = getPrototypeOf(object)
  while (prototypes.length < prototypeCountMax && prototype !== null && !isProxy(prototype)) {
    prototypes.push(prototype)
    prototype = getPrototypeOf(prototype)
  }
  return prototypes
}

/** The name of the class that made an object, as its prototype tells it, or undefined. */
export function classNameOf(object: object): string | undefined {
  const prototype: object | null = getPrototypeOf(object)
  return prototype === null || isProxy(prototype) ? undefined : constructorNameOf(prototype)
}

/** The name of the constructor that a prototype points to, or undefined. */
export function constructorNameOf(prototype: object): string | undefined {
  const found = findProperty(prototype, 'constructor')
  if (found === undefined || found === 'accessor') return undefined
  if (typeof found.value !== 'function' || isProxy(found.value)) return undefined
  const name = ownProperty(found.value, 'name')
  if (name === undefined || name === 'accessor') return undefined
  return typeof name.value === 'string' && name.value !== '' ? name.value : undefined
}

import { type ErrorFacts, errorFacts } from './error-facts.js'
import { cutText, type Manner, notKept } from './manner.js'
import { describeRefused, hasSlots, type Nature, natureOf } from './nature.js'
import { isPermanent } from './permanent.js'
import { type Found, ownProperty } from './property.js'
import { bytesText, dateText, numberText, quote } from './scalars.js'
import { depthCeiling, type Tag } from './value-format.js'
import type { Trail } from './value-path.js'
import { circular, notSerializable, tooDeep, tooLarge } from './value-refusal.js'

// Taken when this file is loaded: what a program later puts in their place is never called.
const { ownKeys } = Reflect
const { getOwnPropertyDescriptor, hasOwn } = Object
const eachEntry = Map.prototype.forEach
const eachItem = Set.prototype.forEach

/** What the writer of a value may use, and how the whole is called in an error. */
export interface WriterOptions {
  readonly what: string
  readonly textBytesMax: number
  readonly manner: Manner
}

/**
 * Writes one value as one text. It runs no code of the value's: no getter, no toJSON, no trap of a Proxy, no iterator.
 * Everything that it cannot keep goes through {@link ValueWriter.refuse}. It stops as soon as the text is too long.
 */
export class ValueWriter implements Trail {
  readonly what: string
  readonly parents: object[] = []
  readonly places: (string | number)[] = []
  #text = ''
  #causeCount = 0
  readonly #textBytesMax: number
  readonly #depthMax: number
  readonly #manner: Manner

  constructor(options: WriterOptions) {
    this.what = options.what
    this.#textBytesMax = options.textBytesMax
    this.#manner = options.manner
    this.#depthMax = Math.min(options.manner.depthMax, depthCeiling)
  }

  /** The text that was written. Throws `value_too_large` if it has more bytes than the limit. */
  finish(): string {
    // A UTF-16 unit takes three bytes at most, so most texts need not be measured.
    if (this.#text.length * 3 > this.#textBytesMax) {
      const size = Buffer.byteLength(this.#text)
      if (size > this.#textBytesMax) throw tooLarge(this, size, this.#textBytesMax)
    }
    return this.#text
  }

  /** Writes a value. Throws `not_serializable` or `value_too_large`, unless the manner is to mark. */
  write(value: unknown): void {
    switch (typeof value) {
      case 'string':
        return this.#writeString(value)
      case 'number':
        return this.#put(numberText(value))
      case 'boolean':
        return this.#put(value ? 'true' : 'false')
      case 'undefined':
        return this.#put('{"$":"undefined"}')
      case 'bigint':
        return this.#writeBigint(value)
      case 'object':
        return value === null ? this.#put('null') : this.#writeObject(value)
      default:
        return this.#refuse(`a ${typeof value}`)
    }
  }

  /** Writes an error, or another object that was thrown, as an error; it must not be a Proxy. */
  writeError(error: object): void {
    if (!this.#enter(error)) return
    const facts = errorFacts(error)
    this.#put(`{"$":"error","type":"${facts.type}"`)
    if (facts.name !== facts.type) {
      this.#put(',"name":')
      this.#writeString(facts.name)
    }
    this.#put(',"message":')
    this.#writeMessage(facts.message)
    this.#writeErrorFields(error, facts)
    const permanent = this.#writeCause(facts.cause) || facts.permanent
    if (facts.errors !== undefined) this.#writeSlot('errors', facts.errors)
    this.#put(permanent ? ',"permanent":true}' : '}')
    this.#leave()
  }

  /** Adds to the text, and stops when it is longer than any text may be. */
  #put(piece: string): void {
    this.#text += piece
    if (this.#text.length > this.#textBytesMax) throw tooLarge(this, this.#text.length, this.#textBytesMax)
  }

  #writeString(value: string): void {
    const kept = cutText(value, this.#manner.textUnitsMax)
    const size = this.#text.length + kept.length
    if (size > this.#textBytesMax) throw tooLarge(this, size, this.#textBytesMax)
    this.#put(quote(kept))
  }

  #writeBigint(value: bigint): void {
    // Four bits a digit are more than it takes: what does not fit them would be too long, and slow to write.
    const digitsMax = Math.min(this.#textBytesMax, this.#manner.textUnitsMax)
    if (BigInt.asIntN(64, value) !== value && BigInt.asIntN(4 * digitsMax, value) !== value) {
      return this.#overflow(digitsMax + 1, `a bigint of more than ${digitsMax} digits`)
    }
    this.#put(`{"$":"bigint","value":"${value}"}`)
  }

  #writeObject(value: object): void {
    const nature = natureOf(value)
    switch (nature) {
      case 'refused':
        return this.#refuse(describeRefused(value))
      case 'date':
        return this.#isBare(value) ? this.#put(dateText(value)) : undefined
      case 'Uint8Array':
      case 'Buffer':
      case 'ArrayBuffer':
        return this.#writeBytes(value, nature)
      case 'error':
        return this.writeError(value)
      default:
        return this.#writeContainer(value, nature)
    }
  }

  #writeContainer(value: object, nature: Nature): void {
    if (!this.#enter(value)) return
    if (nature === 'array') this.#writeArray(value as unknown[])
    else if (nature === 'map') this.#writeMap(value as Map<unknown, unknown>)
    else if (nature === 'set') this.#writeSet(value as Set<unknown>)
    else this.#writePlain(value, nature === 'dict' ? 'dict' : 'object')
    this.#leave()
  }

  /** Goes one level down; says false if it may not, and has then written a mark. */
  #enter(value: object): boolean {
    const level = this.parents.indexOf(value)
    if (level >= 0) {
      if (!this.#manner.marks) throw circular(this, level)
      this.#put('"[circular]"')
      return false
    }
    if (this.parents.length >= this.#depthMax) {
      if (!this.#manner.marks) throw tooDeep(this, this.#depthMax)
      this.#put('"[not kept: nested too deep]"')
      return false
    }
    this.parents.push(value)
    return true
  }

  #leave(): void {
    this.parents.pop()
  }

  /** Notes which place of the innermost container comes next. */
  #at(place: string | number): void {
    this.places[this.parents.length - 1] = place
  }

  /** Throws `not_serializable`, or writes a mark in its place where the manner is to mark. */
  #refuse(found: string): void {
    if (!this.#manner.marks) throw notSerializable(this, found)
    this.#put(quote(notKept(found)))
  }

  /** Throws `value_too_large`, or writes a mark in place of what is too large by itself. */
  #overflow(size: number, found: string): void {
    if (!this.#manner.marks) throw tooLarge(this, this.#text.length + size, this.#textBytesMax)
    this.#put(quote(notKept(found)))
  }

  #writePlain(value: object, tag: Tag): void {
    const keys = this.#manner.marks ? Object.keys(value) : ownKeys(value)
    if (keys.length === 0 && hasSlots(value)) return this.#refuse('an object whose prototype was replaced')
    const kept = this.#keep(keys)
    const isTagged = tag === 'dict' || (hasOwn(value, '$') && kept.includes('$'))
    if (isTagged) this.#put(`{"$":"${tag}","fields":`)
    let separator = '{'
    for (const key of kept) if (this.#writeField(value, key, separator)) separator = ','
    this.#endFields(separator, keys.length - kept.length)
    if (isTagged) this.#put('}')
  }

  /** The keys that are written: all of them, or where the manner is to mark the first of those that are not long. */
  #keep<K extends PropertyKey>(keys: readonly K[]): readonly K[] {
    const { marks, textUnitsMax, itemCountMax } = this.#manner
    if (!marks) return keys
    return keys.filter((key) => String(key).length <= textUnitsMax).slice(0, itemCountMax)
  }

  #endFields(separator: string, missing: number): void {
    if (missing > 0) this.#put(`${separator}"…":"${notKept(`${missing} more`)}"}`)
    else this.#put(separator === '{' ? '{}' : '}')
  }

  /** Says whether the field was written; a hidden symbol is not. */
  #writeField(value: object, key: PropertyKey, separator: string): boolean {
    this.#at(key as string)
    const descriptor = getOwnPropertyDescriptor(value, key)
    if (descriptor === undefined) return false
    if (typeof key === 'symbol' && !descriptor.enumerable) return false
    if (typeof key === 'symbol') this.#at(String(key))
    if (typeof key !== 'string') throw notSerializable(this, 'a field whose key is a symbol')
    if (!descriptor.enumerable) throw notSerializable(this, 'a field that is not enumerable')
    this.#put(`${separator}${quote(key)}:`)
    if (hasOwn(descriptor, 'value')) this.write(descriptor.value)
    else this.#refuse('a getter or setter')
    return true
  }

  #writeArray(array: readonly unknown[]): void {
    const { length } = array
    const kept = Math.min(length, this.#manner.itemCountMax)
    // Each item takes two characters at least; a longer array with holes would be a trap for whoever reads it.
    if (kept > this.#textBytesMax) throw tooLarge(this, kept, this.#textBytesMax)
    const isDense = this.#manner.marks || this.#isDense(array)
    this.#put(isDense ? '[' : `{"$":"array","length":${length},"items":[`)
    let separator = ''
    for (let i = 0; i < kept; i += 1) {
      const found = ownProperty(array, i)
      if (found === undefined && !isDense) continue
      this.#at(i)
      this.#put(isDense ? separator : `${separator}[${i},`)
      this.#writeFound(found)
      if (!isDense) this.#put(']')
      separator = ','
    }
    if (kept < length) this.#put(`${separator}"${notKept(`${length - kept} more`)}"`)
    this.#put(isDense ? ']' : ']}')
  }

  /** Whether an array has no holes. Refuses one that has anything but its items. */
  #isDense(array: readonly unknown[]): boolean {
    // Indices come first and ascend, so the names tell by their count and by the last of them.
    const keys = ownKeys(array)
    const { length } = array
    if (keys.length === length + 1 && (length === 0 || keys[length - 1] === String(length - 1))) return true
    const place = keys.find((key) => typeof key === 'symbol' || (key !== 'length' && !isIndex(key, length)))
    if (place === undefined) return false
    this.#at(String(place))
    throw notSerializable(this, 'a field of an array beside its items')
  }

  #writeMap(map: ReadonlyMap<unknown, unknown>): void {
    if (!this.#isBare(map)) return
    let count = 0
    this.#put('{"$":"map","entries":[')
    eachEntry.call(map, (value, key) => {
      if (count < this.#manner.itemCountMax) {
        this.#put(count === 0 ? '[' : ',[')
        this.#at(2 * count)
        this.write(key)
        this.#put(',')
        this.#at(2 * count + 1)
        this.write(value)
        this.#put(']')
      }
      count += 1
    })
    const missing = count - this.#manner.itemCountMax
    if (missing > 0) this.#put(`,["…","${notKept(`${missing} more`)}"]`)
    this.#put(']}')
  }

  #writeSet(set: ReadonlySet<unknown>): void {
    if (!this.#isBare(set)) return
    let count = 0
    this.#put('{"$":"set","items":[')
    eachItem.call(set, (item) => {
      if (count < this.#manner.itemCountMax) {
        if (count > 0) this.#put(',')
        this.#at(count)
        this.write(item)
      }
      count += 1
    })
    const missing = count - this.#manner.itemCountMax
    if (missing > 0) this.#put(`,"${notKept(`${missing} more`)}"`)
    this.#put(']}')
  }

  #writeBytes(value: object, type: 'Uint8Array' | 'Buffer' | 'ArrayBuffer'): void {
    const written = bytesText(value, type, Math.min(this.#textBytesMax, this.#manner.textUnitsMax))
    if (written.kind === 'refused') this.#refuse(written.found)
    else if (written.kind === 'too large') this.#overflow(written.size, `${written.size} characters of base64`)
    else this.#put(written.text)
  }

  /** Whether a date, map or set has no fields of its own, which would be lost. */
  #isBare(value: object): boolean {
    if (this.#manner.marks || ownKeys(value).length === 0) return true
    this.#refuse('an object of the language with fields of its own')
    return false
  }

  #writeFound(found: Found): void {
    if (found === 'accessor') this.#refuse('a getter or setter')
    else this.write(found?.value)
  }

  #writeSlot(key: string, found: Found): void {
    this.#at(key)
    this.#put(`,"${key}":`)
    this.#writeFound(found)
  }

  #writeMessage(found: Found): void {
    this.#at('message')
    if (found === undefined) this.#put('""')
    else if (found === 'accessor') this.#refuse('a getter or setter')
    else if (typeof found.value === 'object' || typeof found.value === 'function')
      this.#refuse('a message that is no text')
    else this.#writeString(String(found.value))
  }

  #writeErrorFields(error: object, facts: ErrorFacts): void {
    const { code, fieldKeys } = facts
    const keys = code === undefined ? fieldKeys : ['code', ...fieldKeys]
    if (keys.length === 0) return
    this.#put(',"fields":')
    const kept = this.#keep(keys)
    let separator = '{'
    for (const key of kept) {
      this.#at(key)
      this.#put(`${separator}${quote(key)}:`)
      this.#writeFound(key === 'code' ? code : ownProperty(error, key))
      separator = ','
    }
    this.#endFields(separator, keys.length - kept.length)
  }

  /** Says whether a cause that was cut off was permanent, so that the mark is not lost with it. */
  #writeCause(found: Found): boolean {
    if (found === undefined) return false
    if (this.#causeCount >= this.#manner.causeCountMax && found !== 'accessor') {
      this.#put(`,"cause":"${notKept('a longer chain of causes')}"`)
      return isPermanent(found.value)
    }
    this.#causeCount += 1
    this.#writeSlot('cause', found)
    this.#causeCount -= 1
    return false
  }
}

function isIndex(key: PropertyKey, length: number): boolean {
  const index = Number(key)
  return index < length && String(index >>> 0) === key
}

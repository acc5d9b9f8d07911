import type { Crypto } from '../crypto.js'
import { checkCosignature, type Note, parseWitnessKey, type VerifierKey } from '../note/index.js'
import type { Findings } from './findings.js'
import type { WitnessedBy, WitnessReport } from './report.js'

/** The witnesses that a verifier was given, and how many of them it takes. */
export interface GivenWitnesses {
  readonly keys: readonly VerifierKey[]
  readonly quorum: number
}

/** What witnesses are given with. */
export interface WitnessQuestion {
  readonly crypto: Crypto
  readonly origin: string
  /** Of the log. */
  readonly keys: readonly VerifierKey[]
  readonly witnesses: readonly string[]
  readonly quorum: number | undefined
}

/** Reads the keys of witnesses. Throws `RangeError` where one is none, is of the log itself or is there twice, or the quorum is no number of them. */
export async function givenWitnesses(question: WitnessQuestion): Promise<GivenWitnesses> {
  const { crypto, origin, keys, witnesses, quorum = witnesses.length } = question
  const found: VerifierKey[] = []
  for (const text of witnesses) {
    const parsed = await parseWitnessKey(crypto, text)
    if (parsed.kind === 'refused')
      throw new RangeError(`${JSON.stringify(text)} is no key of a witness: ${parsed.why}.`)
    const { key } = parsed
    const isSame = (other: VerifierKey): boolean => String(other.publicKey) === String(key.publicKey)
    if (key.name === origin || keys.some(isSame))
      throw new RangeError(`The witness ${text} is the log itself, and says nothing that it does not say anyway.`)
    if (found.some(isSame)) throw new RangeError(`The witness ${text} is given twice.`)
    found.push(key)
  }
  const isQuorum = Number.isSafeInteger(quorum) && quorum >= Math.min(1, found.length) && quorum <= found.length
  if (!isQuorum) throw new RangeError(`A quorum of ${quorum} is none of ${found.length} witnesses.`)
  return { keys: found, quorum }
}

interface Cosigning {
  readonly size: number
  readonly seconds: number
}

const unknownCountMax = 16

/** Checks what witnesses have signed: `witnesses`. Lines of others are listed and say nothing. */
export class WitnessCheck {
  readonly #crypto: Crypto
  readonly #findings: Findings
  readonly #given: GivenWitnesses
  readonly #cosigned = new Map<VerifierKey, Cosigning[]>()
  readonly #earliest = new Map<VerifierKey, readonly Cosigning[]>()
  readonly #unknown = new Set<string>()

  constructor(crypto: Crypto, findings: Findings, given: GivenWitnesses) {
    this.#crypto = crypto
    this.#findings = findings
    this.#given = given
  }

  /** A checkpoint; `isOfLog` tells whether a line is by a key of the log. */
  async add(note: Note, size: number, isOfLog: (name: string, keyId: string) => boolean): Promise<void> {
    for (const key of this.#given.keys) {
      const { signed, seconds } = await checkCosignature(this.#crypto, note, key)
      if (signed === 'wrong')
        this.#findings.fail('witnesses', `the checkpoint of size ${size} has a wrong cosignature by ${key.name}`)
      if (seconds !== undefined) this.#cosigningsOf(key).push({ size, seconds })
    }
    for (const { name, keyId } of note.signatures)
      if (!isOfLog(name, keyId) && !this.#isGiven(name, keyId) && this.#unknown.size < unknownCountMax)
        this.#unknown.add(`${name}+${keyId}`)
  }

  #cosigningsOf(key: VerifierKey): Cosigning[] {
    const all = this.#cosigned.get(key) ?? []
    this.#cosigned.set(key, all)
    return all
  }

  #isGiven(name: string, keyId: string): boolean {
    return this.#given.keys.some((key) => key.name === name && key.cosignatureKeyId === keyId)
  }

  /** Judges whether enough witnesses have cosigned a checkpoint with this leaf; -1 where any checkpoint will do. */
  finish(lastIndex: number): void {
    const { keys, quorum } = this.#given
    if (keys.length === 0) return
    const sizes = keys.map((key) => this.#sizeOf(key) ?? 0)
    const enough = sizes.filter((size) => size > Math.max(lastIndex, 0)).length
    if (enough >= quorum) return
    const told = keys
      .map(({ name }, i) => (sizes[i] === 0 ? `${name} nothing` : `${name} ${sizes[i]} leaves`))
      .join(', ')
    this.#findings.unevaluated(
      'witnesses',
      `it takes ${quorum} to have cosigned ${Math.max(lastIndex, 0) + 1} leaves, and what they have is: ${told}`,
    )
  }

  #sizeOf(key: VerifierKey): number | undefined {
    return this.#cosigned.get(key)?.at(-1)?.size
  }

  /** Of each witness that was given, in that order. */
  reports(): WitnessReport[] {
    return this.#given.keys.map((key) => {
      const last = this.#cosigned.get(key)?.at(-1)
      return { key: key.text, name: key.name, size: last?.size, seconds: last?.seconds }
    })
  }

  /** Who has cosigned a checkpoint with this leaf, each at its earliest; only once all checkpoints came. */
  witnessesOf(leafIndex: number): WitnessedBy[] {
    return this.#given.keys.flatMap((key) => {
      const first = firstBeyond(this.#earliestOf(key), leafIndex)
      return first === undefined ? [] : [{ name: key.name, seconds: first.seconds }]
    })
  }

  // Of each checkpoint when it, or one that goes on from it, was cosigned first.
  #earliestOf(key: VerifierKey): readonly Cosigning[] {
    const known = this.#earliest.get(key)
    if (known !== undefined) return known
    let least = Number.POSITIVE_INFINITY
    const made = [...this.#cosigningsOf(key)]
      .reverse()
      .map(({ size, seconds }) => {
        least = Math.min(least, seconds)
        return { size, seconds: least }
      })
      .reverse()
    this.#earliest.set(key, made)
    return made
  }

  /** Signers that nobody knows, as `<name>+<key id>`; the first sixteen. */
  get unknown(): readonly string[] {
    return [...this.#unknown]
  }
}

function firstBeyond(all: readonly Cosigning[], leafIndex: number): Cosigning | undefined {
  let from = 0
  let to = all.length
  while (from < to) {
    const middle = (from + to) >> 1
    if ((all[middle]?.size ?? 0) <= leafIndex) from = middle + 1
    else to = middle
  }
  return all[from]
}

import { cliError } from './errors.js'

/** The options of a call, by their long names in camel case. */
export class Options {
  readonly #values: Readonly<Record<string, unknown>>

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = values
  }

  flag(name: string): boolean {
    return this.#values[name] === true
  }

  text(name: string): string | undefined {
    const value = this.#values[name]
    return typeof value === 'string' ? value : undefined
  }

  texts(name: string): readonly string[] {
    const value = this.#values[name]
    return Array.isArray(value) ? value.map(String) : []
  }

  /** A whole number, which may be below 0. Throws `usage`. */
  integer(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (/^-?\d{1,9}$/.test(text)) return Number(text)
    throw cliError('usage', `--${name} takes a whole number, but it was ${JSON.stringify(text)}. Nothing was done.`)
  }

  /** A whole number from 1. Throws `usage`. */
  count(name: string): number | undefined {
    const text = this.text(name)
    if (text === undefined) return undefined
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
    const flag = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    throw cliError(
      'usage',
      `--${flag} takes a whole number from 1, but it was ${JSON.stringify(text)}. Nothing was done.`,
    )
  }
}

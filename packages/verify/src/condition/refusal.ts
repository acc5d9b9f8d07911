/** Why a condition is none, and where. Only the parser of this folder throws and catches it. */
export class Refusal extends Error {
  /** In UTF-16 units from 0. */
  readonly at: number

  constructor(at: number, reason: string) {
    super(reason)
    this.at = at
  }
}

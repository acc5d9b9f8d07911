/** Something that is wrong in a file. Lines count from 1. */
export interface RoleFileMistake {
  readonly line: number
  readonly reason: string
}

/** One row of a file: the line that it begins on, and its fields. */
export interface Row {
  readonly line: number
  readonly fields: ReadonlyMap<string, string | null>
}

/** The rows of a file, and where it is not in its format. */
export interface Rows {
  readonly rows: readonly Row[]
  readonly mistakes: readonly RoleFileMistake[]
}

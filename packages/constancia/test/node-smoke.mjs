/**
 * A minute of real use in one second, for every version of Node.js that the package promises: it loads each of its
 * subpaths and opens a store on a file. Prints one line; fails with what went wrong.
 */
import { readFileSync } from 'node:fs'

const { exports: subpaths } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const names = Object.keys(subpaths).filter((subpath) => subpath !== './package.json')
for (const subpath of names) await import(`constancia${subpath.slice(1)}`)
process.stdout.write(`${names.length} subpaths load`)

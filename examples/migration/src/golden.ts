/**
 * The golden test over the same flow, as anybody would write it for a flow of their own: the crash kit runs it once
 * without a crash, then ends it at every single place where a process can end, and at every two, resumes it, and compares
 * what the journal says and what the destination accepted. A smaller set of files, and everything in memory, so that it takes a moment.
 */
import { type CrashReport, crashTest, Ledger } from 'constancia/testing'
import { type MigrateInput, migrateWith } from './flow.js'
import { rewrite } from './rewrite.js'

/** The files of the golden test: enough for every branch of the flow, one package without anything to do included. */
const files: Readonly<Record<string, string>> = {
  'alpha/index.js': "var fs = require('fs')\nmodule.exports = fs;\n",
  'alpha/own.js': 'module.exports = (o) => Object.prototype.hasOwnProperty.call(o, 1)\n',
  'alpha/plain.js': 'module.exports = 1\n',
  'beta/index.js': 'module.exports = 2\n',
}
const input: MigrateInput = { packages: ['alpha', 'beta'] }

/** Tries every crash point and every pair of them. Throws an error with a table if one of them makes a difference. */
export async function goldenTest(): Promise<CrashReport> {
  const destination = new Ledger() // A stand-in for git and forge that remembers keys, and counts.
  const migrate = migrateWith({
    listFiles: async (folder) => Object.keys(files).filter((file) => file.startsWith(`${folder}/`)),
    readFile: async (file) => files[file] ?? '',
    askModel: async ({ text }) => rewrite(text),
    commit: async (change, key) => destination.receive(key, `commit to ${change.branch}`),
    openPull: async (pull, key) => destination.receive(key, pull.branch.length),
  })
  return crashTest({ flow: migrate, input, destination, pairs: true })
}

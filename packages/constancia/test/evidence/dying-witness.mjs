// A witness whose process ends itself at a point of the one step in which it compares and keeps: file, key, log, point, and how many times it passes it before.
import { keyOf, signerOf } from '../../dist/evidence/log/index.js'
import { serveWitness, Witness } from '../../dist/evidence/witness/index.js'
import { openWitnessFile } from '../../dist/store/sqlite/index.js'

const [file, signerKey, log, point, passes] = process.argv.slice(2)
let left = Number(passes)

function dieAt(here) {
  if (here !== point) return
  left -= 1
  if (left < 0) process.kill(process.pid, 'SIGKILL')
}

function mortal(database) {
  return {
    get isTransaction() {
      return database.isTransaction
    },
    exec: (sql) => {
      if (sql === 'BEGIN IMMEDIATE') dieAt('before')
      if (sql === 'COMMIT') dieAt('written')
      database.exec(sql)
      if (sql === 'BEGIN IMMEDIATE') dieAt('begun')
      if (sql === 'COMMIT') dieAt('committed')
    },
    prepare: (sql) => database.prepare(sql),
    close: () => database.close(),
  }
}

const signer = signerOf(signerKey)
const key = keyOf(/^PRIVATE\+KEY\+([^+]+)/.exec(signerKey)[1], signer)
const state = openWitnessFile(file, { over: mortal })
const witness = await Witness.of({ key, signer, logs: [log], state, clock: { now: Date.now } })
const onFault = (error) => process.stderr.write(`${error}\n`)
const { url } = await serveWitness(witness, { host: '127.0.0.1', port: 0, onFault })
process.send({ url })

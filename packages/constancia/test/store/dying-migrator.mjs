// @ts-check
// Brings a database to the present schema, and is killed on the way. Arguments: file, where.
import { loadDriver } from '../../dist/store/sqlite/driver.js'
import { migrate } from '../../dist/store/sqlite/migrate.js'

const [file = '', place = ''] = process.argv.slice(2)
const database = loadDriver().open(file)

/** @type {Record<string, (sql: string) => boolean>} */
const places = {
  begun: (sql) => sql === 'BEGIN IMMEDIATE',
  migrated: (sql) => sql.includes('CREATE TABLE purged'),
  versioned: (sql) => sql.startsWith('PRAGMA user_version='),
  committed: (sql) => sql === 'COMMIT',
}

const isPlace = places[place]
if (isPlace === undefined) throw new Error(`there is no place ${place}`)
migrate(
  {
    get isTransaction() {
      return database.isTransaction
    },
    exec: (sql) => {
      database.exec(sql)
      if (isPlace(sql)) process.kill(process.pid, 'SIGKILL')
    },
    prepare: (sql) => database.prepare(sql),
    close: () => database.close(),
  },
  file,
)

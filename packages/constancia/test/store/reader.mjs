// @ts-check
// Reads a database and stands still within its read, as a process does that was stopped. Argument: file.
import { loadDriver } from '../../dist/store/sqlite/driver.js'

const [file = ''] = process.argv.slice(2)
const database = loadDriver().open(file)
database.exec('BEGIN')
database.prepare('SELECT count(*) FROM events').get()
process.stdout.write('reading\n')
// It also keeps the connection: what nobody refers to is collected, and its read ends.
setInterval(() => database.isTransaction, 1000)

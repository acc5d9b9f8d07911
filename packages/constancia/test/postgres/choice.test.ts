import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { chooseBinaries, namedServer } from './choice.mjs'
import { foundBinaries } from './server.mjs'

const url = 'postgres://somebody@db.example/tests'
const found = { packaged: ['/package'], ofTheMachine: ['/newest', '/oldest'] }

test('tests use the server that DATABASE_URL names, and one of their own where it names none', () => {
  expect(namedServer({ DATABASE_URL: url })).toBe(url)
  expect(namedServer({ PGHOST: 'db.example' })).toBeUndefined()
  expect(namedServer({ DATABASE_URL: '' })).toBeUndefined()
  expect(namedServer({ DATABASE_URL: ' ' })).toBeUndefined()
})

test('of binaries those of the package are taken, also where the machine has some', () => {
  expect(chooseBinaries(found, () => undefined)).toBe('/package')
})

test('the newest of the machine are taken where the package has none, or they cannot be run', () => {
  expect(chooseBinaries({ ...found, packaged: [] }, () => undefined)).toBe('/newest')
  for (const why of ['', 'EACCES'])
    expect(chooseBinaries(found, (folder) => (folder === '/package' ? why : undefined))).toBe('/newest')
  expect(chooseBinaries(found, (folder) => (folder === '/oldest' ? undefined : 'EACCES'))).toBe('/oldest')
})

test('where nothing can be started, the error says what was tried and what to do', () => {
  const whyNot = (folder: string): string => (folder === '/oldest' ? '' : `no ${folder}`)
  const message =
    'No PostgreSQL can be started; run npm install, or set DATABASE_URL. Tried: /package: no /package; /newest: no /newest'
  expect(() => chooseBinaries(found, whyNot)).toThrow(message)
  expect(() => chooseBinaries({ packaged: [], ofTheMachine: [] }, whyNot)).toThrow('Tried: nothing')
})

test('there are binaries to choose from here', () => {
  const { packaged, ofTheMachine } = foundBinaries()
  expect([...packaged, ...ofTheMachine].some((folder) => existsSync(join(folder, 'initdb')))).toBe(true)
})

import { storeConformance } from 'constancia/testing'
import { describe, test } from 'vitest'
import { underMemory, underSqlite } from './stores.js'

describe('the memory store conforms:', () => {
  for (const { name, run } of storeConformance({ open: underMemory })) test(name, run)
})

describe('the SQLite store conforms:', () => {
  for (const { name, run } of storeConformance({ open: underSqlite })) test(name, run)
})

import { moveConformance, storeConformance } from 'constancia/testing'
import { describe, test } from 'vitest'
import { underMemory, underSqlite } from './stores.js'

describe('the memory store conforms:', () => {
  for (const { name, run } of storeConformance({ open: underMemory })) test(name, run)
})

describe('the SQLite store conforms:', () => {
  for (const { name, run } of storeConformance({ open: underSqlite })) test(name, run)
})

describe('the memory store moves:', () => {
  for (const { name, run } of moveConformance({ open: underMemory })) test(name, run)
})

describe('the SQLite store moves:', () => {
  for (const { name, run } of moveConformance({ open: underSqlite })) test(name, run)
})

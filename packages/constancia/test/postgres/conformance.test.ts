import { moveConformance, storeConformance } from 'constancia/testing'
import { describe, test } from 'vitest'
import { underPostgres } from './under-test.js'

describe('the PostgreSQL store', () => {
  for (const { name, run } of storeConformance({ open: () => underPostgres(true) })) test(name, run)
})

describe('the PostgreSQL store moves:', () => {
  for (const { name, run } of moveConformance({ open: () => underPostgres(false) })) test(name, run)
})

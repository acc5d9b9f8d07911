import type { StoreFactory } from 'constancia'
import { postgres } from 'constancia/postgres'
import { sqlite } from 'constancia/sqlite'

/** Where runs live: plain data, to be told to another process. */
export type Where = { readonly file: string } | { readonly url: string; readonly schema: string }

/** The store that is there. */
export function storeAt(where: Where): StoreFactory {
  return 'file' in where ? sqlite(where) : postgres(where)
}

// What the guide to governance shows of effects in the database of the store, as a program that is checked and run.
// <guide>
import { action, transactional } from 'constancia'
import { z } from 'zod'

export const book = action({
  name: 'ledger.book',
  input: z.object({ account: z.string(), cents: z.number().int() }),
  effect: transactional('sqlite'),
  run: ({ account, cents }, { tx, key }) => {
    tx.prepare('UPDATE accounts SET cents = cents - ? WHERE id = ?').run(cents, account)
    tx.prepare('INSERT INTO bookings (key, account, cents) VALUES (?, ?, ?)').run(key, account, cents)
    return null
  },
})
// </guide>

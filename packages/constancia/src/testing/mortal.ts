import type { Append, Within } from '../store/index.js'

/** A life that may be over at any moment. */
export interface Mortality {
  readonly isDead: () => boolean
  /** It comes to a place where it may end. */
  readonly strike: () => void
}

/**
 * An append whose life may end between what is done within it and its commit: whatever is in the transaction then is gone with the
 * process.
 */
export function mortalWithin(request: Append, mortality: Mortality): Append {
  const { within } = request
  return within === undefined ? request : { ...request, within: mortal(within, mortality) }
}

/** What a life hears of an answer: nothing, once it is over. */
export async function heardBy<T>({ isDead }: Mortality, answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (isDead()) return new Promise(() => undefined)
    throw error
  }
}

function mortal(within: Within, { isDead, strike }: Mortality): Within {
  const goOn = <T>(value: T): T => {
    strike()
    if (isDead()) throw new Error('The process has ended within a transaction.')
    return value
  }
  return {
    ...within,
    run: (tx) => {
      const value: unknown = within.run(tx)
      return value instanceof Promise ? value.then(goOn) : goOn(value)
    },
    outcome: (result) => {
      // A process that is gone says nothing of what it did, and the transaction ends without a commit.
      if (isDead()) throw new Error('The process has ended within a transaction.')
      return within.outcome(result)
    },
  }
}

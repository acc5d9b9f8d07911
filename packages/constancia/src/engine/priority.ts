import { engineError } from './errors.js'

/** The highest priority of a run; the lowest is as far below 0. */
export const priorityMax = 100

/** Checks a priority: a whole number from -100 to 100. Throws `invalid_option`; `done` says what was not done. */
export function requirePriority(priority: unknown, what: string, done: string): number {
  if (Number.isInteger(priority) && Math.abs(priority as number) <= priorityMax) return (priority as number) + 0
  const came = typeof priority === 'number' ? String(priority) : `a ${typeof priority}`
  const message = `The priority of ${what} is a whole number from ${-priorityMax} to ${priorityMax}, but it was ${came}.`
  throw engineError('invalid_option', `${message} ${done}`.trimEnd())
}

/** A priority as `FlowStarted` holds it: nothing where it is 0, so that journals of runs without one stay as they always were. */
export function priorityFact(priority: number): { readonly priority?: number } {
  return priority === 0 ? {} : { priority }
}

import { defaultLimits, type EncodeOptions } from '../../dist/journal/index.js'

/** The limits as they are unless set otherwise, and a name for the whole. */
export const options: EncodeOptions = { limits: defaultLimits, what: 'result of step "charge"' }

/** The same with other limits. */
export function limited(limits: Partial<EncodeOptions['limits']>): EncodeOptions {
  return { ...options, limits: { ...options.limits, ...limits } }
}

/** What a call throws, which it must. */
export function thrownBy(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error('It was expected to throw.')
}

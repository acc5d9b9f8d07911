import { assert } from './errors.js'
import type { Draft } from './event.js'

/** Whether a database gives a text back as it is: it holds neither U+0000 nor half a surrogate pair. */
export function isExactText(text: string): boolean {
  // In Node.js since version 20, in the compiler's library only later.
  return (text as string & { isWellFormed(): boolean }).isWellFormed() && !text.includes('\0')
}

/** Asserts that the texts of events come back as they are; JSON always does, for it escapes what does not. */
export function assertExactTexts(drafts: readonly Draft[]): void {
  for (const { body, data } of drafts) {
    assert(isExactText(body), 'the body of an event holds U+0000 or half a surrogate pair, which cannot be stored')
    assert(
      data === undefined || isExactText(data),
      'the data of an event holds U+0000 or half a surrogate pair, which cannot be stored',
    )
  }
}

import { assert } from '../../journal/index.js'

/** Asserts that texts come back exactly as they are; JSON always does, for it escapes what does not. */
export function checkTexts(texts: readonly { readonly body: string; readonly data: string | undefined }[]): void {
  for (const { body, data } of texts) {
    assert(isExact(body), 'the body of an event holds U+0000 or half a surrogate pair, which cannot be stored')
    assert(
      data === undefined || isExact(data),
      'the data of an event holds U+0000 or half a surrogate pair, which cannot be stored',
    )
  }
}

function isExact(text: string): boolean {
  // In Node.js since version 20, in the compiler's library only later.
  return (text as string & { isWellFormed(): boolean }).isWellFormed() && !text.includes('\0')
}

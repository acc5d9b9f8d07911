import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { answerOf, start } from '../store/processes.js'
import { makeFolder } from '../store/stores.js'

const opener = '../processes/opener.mjs'

test('C47 three processes open 120 new files at the same moments, and none takes one for the file of another program', async () => {
  const folder = makeFolder()
  try {
    const args = [folder, String(Date.now() + 700), '25', '120']
    const all = await Promise.all([1, 2, 3].map(() => answerOf<string[]>(start(opener, args))))
    expect(all).toEqual([[], [], []])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

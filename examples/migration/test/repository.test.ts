import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Repository } from '../dist/repository.js'
import { rewrite } from '../dist/rewrite.js'

const text = 'exports.a = void 0;\n'
const change = { branch: 'modern/a', message: 'a: modern', patches: [{ file: 'a/index.js', edits: rewrite(text) }] }
let repository: Repository

beforeEach(async () => {
  repository = new Repository(mkdtempSync(join(tmpdir(), 'constancia-repository-')))
  mkdirSync(join(repository.folder, 'a'))
  writeFileSync(join(repository.folder, 'a', 'index.js'), text)
  await repository.create()
})

afterEach(() => rmSync(repository.folder, { recursive: true, force: true }))

function git(...args: string[]): string {
  return spawnSync('git', args, { cwd: repository.folder, encoding: 'utf8' }).stdout
}

describe('a commit', () => {
  it('R-A8 is made once for a key, however often it is asked for', async () => {
    const first = await repository.commit(change, 'run/1')
    expect(await repository.commit(change, 'run/1')).toBe(first)
    expect(await repository.commitCount()).toBe(1)
    expect(git('show', 'modern/a:a/index.js')).toBe('exports.a = undefined;\n')
    expect(git('log', '-1', '--format=%B', 'modern/a')).toBe('a: modern\n\nConstancia-Key: run/1\n\n')
  })

  it('is made again without a key', async () => {
    await repository.commit(change, '')
    await repository.commit(change, '')
    expect(await repository.commitCount()).toBe(2)
  })

  it('changes neither main nor the working folder', async () => {
    await repository.commit(change, 'run/1')
    expect(repository.readFile('a/index.js')).toBe(text)
    expect(git('show', 'main:a/index.js')).toBe(text)
    expect(git('status', '--porcelain')).toBe('')
  })

  it('that fails says what git says', async () => {
    const broken = { ...change, branch: 'no..such..name' }
    await expect(repository.commit(broken, 'run/1')).rejects.toThrow(/git fast-import failed/)
  })
})

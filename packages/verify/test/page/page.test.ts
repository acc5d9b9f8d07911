import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { give } from '../../../constancia/test/cli/in-process.js'
import { verdictWords, verifyBundle } from '../../dist/index.js'
import { nodeCrypto } from '../../dist/node.js'
import { buildPage, pageFile } from '../../page/build.mjs'
import { keyText, threeRuns } from '../bundle/cases/case.js'
import { journals, logOf } from '../bundle/journal.js'
import { chunks, Log, origin } from '../bundle/log.js'
import { receipt } from '../bundle/receipt.js'
import { forbidden, payloads, poisonedReply } from './attacks.js'
import { startBrowser } from './browser.mjs'
import { dropAll, type Given, saidByNode, vectors } from './files.js'
import {
  answerReply,
  lackWorkerAndEd25519,
  readability,
  showAll,
  stopAtFirstStep,
  takeForMarkup,
  tryToLeave,
  watched,
  watchSteps,
} from './in-page.mjs'

const started = await startBrowser()
if (started.browser === undefined)
  console.warn(`NO BROWSER COULD BE STARTED, so what the page for auditors does is NOT tested: ${started.why}`)
const browser = started.browser as Browser

let context: BrowserContext
/** What a page did that it must never do, and every address that it asked for. */
const seen = { dialogs: [] as string[], errors: [] as string[], requests: [] as string[] }

let built: Buffer
beforeAll(async () => {
  built = await buildPage()
})

afterEach(async () => {
  await context?.close()
})

afterAll(async () => {
  await started.browser?.close()
})

type How = Parameters<Browser['newContext']>[0]

/** Opens the page from its file, in a browser that remembers nothing. */
async function open(how: How = {}, before?: () => void): Promise<Page> {
  for (const list of Object.values(seen)) list.length = 0
  context = await browser.newContext(how)
  // A slow machine is no failure.
  context.setDefaultTimeout(300_000)
  if (before !== undefined) await context.addInitScript(before)
  const page = await context.newPage()
  page.on('dialog', (dialog) => {
    seen.dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  page.on('pageerror', ({ message }) => void seen.errors.push(message))
  context.on('request', (request) => void seen.requests.push(request.url()))
  await page.goto(pathToFileURL(pageFile).href)
  return page
}

async function givenOf(name: string, bytes: Promise<Buffer>): Promise<Given> {
  return { name, bytes: await bytes, keys: [keyText()], origin }
}

const paid = (): Promise<Given> => {
  const log = logOf(journals('paid'))
  return givenOf('paid.proof', log.bundle(['r']))
}

describe('the page is one file:', () => {
  test('the same bytes whoever builds it, with a policy that names its script and its style and reaches nothing', async () => {
    expect(built.equals(readFileSync(pageFile))).toBe(true)
    expect((await buildPage()).equals(built)).toBe(true)
    const text = built.toString()
    const policy = /Content-Security-Policy" content="([^"]+)"/.exec(text)?.[1]
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; worker-src blob:; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'; trusted-types constancia$/,
    )
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function/)
  })

  test('R-G4 constancia verify --page writes it, and says what its digest is', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'constancia-page-'))
    try {
      const place = { folder, config: undefined as never }
      const written = await give(['verify', '--page', 'verifier.html'], place)
      expect([written.code, written.stdout]).toEqual([0, expect.stringMatching(/^[0-9a-f]{64} {2}verifier\.html\n$/)])
      expect(readFileSync(join(folder, 'verifier.html')).equals(built)).toBe(true)
      const sum = Buffer.from(nodeCrypto.sha256(built)).toString('hex')
      expect(written.stdout).toContain(sum)
      expect((await give(['verify', 'a.proof', '--page', 'other.html'], place)).code).toBe(2)
      expect((await give(['verify', '--key', keyText()], place)).code).toBe(2)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

test('the browser that the tests carry is installed', () => {
  // npm leaves out what is optional and does not fit this Node.js, without a word.
  expect(() => createRequire(import.meta.url).resolve('@sparticuz/chromium')).not.toThrow()
})

describe.skipIf(started.browser === undefined)('the page in a browser:', () => {
  test('R-G5 R-G7 T17 it says of every vector what the verifier on Node.js says, in the same words, and asks no network for anything', async () => {
    const page = await open()
    const files = vectors()
    expect(files.length).toBeGreaterThan(240)
    const said = await dropAll(page, files)
    for (const [i, file] of files.entries()) expect([file.name, said[i]]).toEqual([file.name, await saidByNode(file)])
    expect(new Set(said.map(({ verdict }) => verdict))).toEqual(new Set(Object.keys(verdictWords)))
    expect(said.filter(({ answers }) => answers.length > 0).length).toBeGreaterThan(10)
    expect(seen.requests.filter((url) => !url.startsWith('file://') && !url.startsWith('blob:null/'))).toEqual([])
    expect(seen.requests.length).toBeGreaterThan(1)
    expect(seen.errors).toEqual([])
  })

  test('R-G4 a browser that lets it have no worker and knows no Ed25519 says the same', async () => {
    const page = await open({}, lackWorkerAndEd25519)
    const files = vectors().filter(({ name }) => ['governed-paid', 'forged-chained-anew', 'other-key'].includes(name))
    files.push(await paid())
    const said = await dropAll(page, files)
    for (const [i, file] of files.entries()) expect(said[i]).toEqual(await saidByNode(file))
    // Both were really missed.
    const lacks = await page.evaluate(() => (globalThis as unknown as { lacks: number }).lacks)
    expect([lacks % 1_000, Math.floor(lacks / 1_000)].map((count) => count > 0)).toEqual([true, true])
  })

  test('a verdict never stands beside other fields than those that it was reached with, and nothing is verified without a key', async () => {
    const page = await open()
    const file = await paid()
    const chosen = { name: file.name, mimeType: '', buffer: Buffer.from(file.bytes) }
    await page.getByText('Drop the file here').waitFor()
    await page.locator('#file').setInputFiles(chosen)
    expect(await page.locator('#keys-problem').textContent()).toContain('Whose key do you trust?')
    expect(await page.evaluate('document.activeElement.id')).toBe('keys')
    await page.getByLabel('The keys that you trust').fill(`\n  ${keyText()}\n`)
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('heading', { name: 'Proven' }).waitFor()
    expect(await page.getByRole('status').textContent()).toMatch(/^proven\. What this file says is/)
    expect(await page.evaluate('document.activeElement.id')).toBe('verdict')
    await page.getByLabel('The keys that you trust').press('End')
    await page.getByLabel('The keys that you trust').pressSequentially('x')
    await page.locator('#result').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByText('is no verifier key').waitFor()
    expect(await page.locator('#result').isHidden()).toBe(true)
    await page.getByLabel('The keys that you trust').fill(keyText(2))
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('heading', { name: 'Unverifiable' }).waitFor()
    expect(await page.getByText('Nothing that it says is proven.').count()).toBe(1)
    expect(await page.locator('.answers').count()).toBe(0)
  })
})

describe.skipIf(started.browser === undefined)('15 XSS, in a browser:', () => {
  const isPwned = (page: Page) => page.evaluate(() => 'pwned' in globalThis)
  const made = (page: Page) => page.locator(`#result ${forbidden}`).count()

  test('the payloads do what they are for where markup is taken from texts', async () => {
    await open()
    const page = await context.newPage()
    await page.evaluate(
      takeForMarkup,
      payloads.filter((text) => !text.includes('refresh')),
    )
    await page.waitForFunction(() => 'pwned' in globalThis)
    expect(await page.locator('img, iframe, a, link, form, object').count()).toBeGreaterThan(5)
  })

  test('no text of a report becomes anything but text, whichever field it is in', async () => {
    const log = threeRuns()
    const verify = (bytes: Uint8Array) => verifyBundle(chunks(bytes), { crypto: nodeCrypto, keys: [keyText()], origin })
    const bundle = await verify((await paid()).bytes)
    const ofReceipt = await verify(await receipt(log, 'a', 1))
    const replies = payloads.flatMap((payload) => [
      poisonedReply(bundle, 'proven', payload),
      poisonedReply(bundle, 'forged', payload),
      poisonedReply(ofReceipt, 'incomplete', payload),
    ])
    const page = await open({}, answerReply)
    const shown = await page.evaluate(showAll as (given: unknown) => { count: number; made: number }[], {
      replies,
      payloads,
      forbidden,
    })
    expect(shown).toHaveLength(replies.length)
    // Of each reply the payload was really there to be seen, in many places, and nothing was made of it.
    expect(Math.min(...shown.map(({ count }) => count))).toBeGreaterThanOrEqual(5)
    expect(shown.filter(({ made }) => made > 0)).toEqual([])
    expect([await isPwned(page), seen.dialogs]).toEqual([false, []])
    expect(seen.requests.filter((url) => !url.startsWith('file://'))).toEqual([])
  })

  test('nor does a file that carries them in its events, in its name or beside a key; what turns the direction of writing is shown, not obeyed', async () => {
    const log = new Log()
    log.append('run/x', 'FlowStarted', '{"flow":"f","version":1,"actor":null,"contract":null}', {
      data: JSON.stringify(payloads),
    })
    for (const [op, payload] of payloads.entries())
      log.append('run/x', 'StepCompleted', JSON.stringify({ op: String(op), name: payload, attempt: 1 }), {
        data: JSON.stringify(payload),
      })
    log.append('run/x', 'FlowCompleted', '{}', { data: '"\u202e evil \u2066"' })
    log.seal()
    const page = await open()
    const bytes = await log.bundle(['x'])
    for (const name of [...payloads.map((payload) => payload.replaceAll('/', '')), 'a\u202efdp.proof']) {
      const [said] = await dropAll(page, [{ name, bytes, keys: [keyText()], origin }])
      expect(said?.verdict).toBe('proven')
      expect(await page.locator('.facts').textContent()).toContain(name.replace('\u202e', '\\u202e'))
    }
    const told = (await page.locator('.timeline').textContent()) ?? ''
    for (const payload of payloads) expect(told).toContain(payload)
    expect(told).toContain('\\u202e evil \\u2066')
    for (const payload of payloads) {
      await page.getByLabel('The keys that you trust').fill(payload)
      await page.getByRole('button', { name: 'Verify' }).click()
      await page.locator('#keys-problem').filter({ hasText: 'Nothing was verified' }).waitFor()
    }
    expect([await made(page), await isPwned(page), seen.dialogs]).toEqual([0, false, []])
    expect(await page.locator('#form :is(img, script, iframe, a, object)').count()).toBe(0)
  })

  test('even a script that got into the page reaches no network, from it or from its worker', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked += 1
      response.setHeader('access-control-allow-origin', '*')
      response.end('<p>here</p>')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    try {
      const page = await open()
      await dropAll(page, [await paid()])
      const tried = await page.evaluate(tryToLeave, url)
      const [worker] = page.workers()
      const fromWorker = await worker?.evaluate((address) => fetch(address).then(() => 'got out', String), url)
      expect([tried, fromWorker]).toEqual([
        ['refused', 'refused', 'refused', 'refused', 'refused'],
        expect.stringContaining('Failed to fetch'),
      ])
      expect(asked).toBe(0)
      // A page without such a policy does get there, so the server would have counted.
      const other = await context.newPage()
      await other.goto(url)
      expect(asked).toBeGreaterThan(0)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})

describe.skipIf(started.browser === undefined)('a large file, in a browser:', () => {
  const mebibyte = 1_048_576
  const file = join(mkdtempSync(join(tmpdir(), 'constancia-large-')), 'large.proof')

  beforeAll(async () => {
    const log = new Log()
    const text = JSON.stringify('x'.repeat(mebibyte))
    log.append('run/large', 'FlowStarted', '{"flow":"f","version":1,"actor":null,"contract":null}')
    for (let op = 0; op < 50; op++)
      log.append('run/large', 'StepCompleted', JSON.stringify({ op: String(op) }), { data: text })
    log.append('run/large', 'FlowCompleted', '{}')
    log.seal()
    writeFileSync(file, await log.bundle(['large']))
  })

  afterAll(() => rmSync(join(file, '..'), { recursive: true, force: true }))

  test('R-G4 50 MiB leave the page as it answers: it shows how far it is, takes clicks meanwhile, and stops when it is told to', async () => {
    const page = await open()
    await page.getByLabel('The keys that you trust').fill(keyText())
    // What the page itself sees while the file is verified: each step is a task of its own, before there is any verdict.
    await page.evaluate(watchSteps)
    await page.locator('#file').setInputFiles(file)
    await page.getByRole('heading', { name: 'Proven' }).waitFor()
    const { steps, clicks, readHere }: { steps: number[]; clicks: number; readHere: number } =
      await page.evaluate(watched)
    expect(steps.length).toBeGreaterThanOrEqual(10)
    expect(steps).toEqual([...steps].sort((a, b) => a - b))
    expect(clicks).toBeGreaterThanOrEqual(2)
    // The worker has read the file, and the page nothing of it.
    expect([page.workers().length, readHere]).toEqual([1, 0])

    // Once more, and it is stopped at its first step: no verdict comes, and what is asked next is answered.
    await page.evaluate(stopAtFirstStep)
    await page.getByRole('button', { name: 'Verify' }).click()
    await page.getByRole('status').filter({ hasText: 'Stopped' }).waitFor()
    expect(await page.locator('#result').isHidden()).toBe(true)
    const [next] = await dropAll(page, [await paid()])
    expect(next?.verdict).toBe('proven')
  })
})

describe.skipIf(started.browser === undefined)('the page can be read:', () => {
  test('every text has a contrast of 4.5 at least in light and dark, every field a name, and each verdict a word and a sign of its own', async () => {
    const names = ['governed-paid', 'forged-chained-anew', 'withheld-vote-body']
    const all = vectors()
    const verdicts = Object.keys(verdictWords).map((verdict) =>
      all.find((file) => (file as { verdict?: string }).verdict === verdict),
    )
    const files = [...verdicts, ...names.map((name) => all.find((file) => file.name === name))].filter(
      (file) => file !== undefined,
    )
    expect(files).toHaveLength(9)
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open({ colorScheme })
      const signs = new Set<string>()
      for (const file of files) {
        const [said] = await dropAll(page, [file])
        const { weak, textCount, sign, unnamed } = await page.evaluate(readability)
        expect([colorScheme, file.name, weak, unnamed]).toEqual([colorScheme, file.name, [], []])
        expect(textCount).toBeGreaterThan(60)
        signs.add(`${said?.title} ${sign}`)
      }
      expect(signs.size).toBe(6)
      await context.close()
    }
  })

  test('it fits a narrow phone, and on paper everything is unfolded and the form is gone', async () => {
    const page = await open({ viewport: { width: 320, height: 640 } })
    await dropAll(page, [await paid()])
    const overhang = () => page.evaluate('document.documentElement.scrollWidth - innerWidth')
    expect(await overhang()).toBeLessThanOrEqual(0)
    await page.emulateMedia({ media: 'print' })
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    expect(await page.locator('#form').isVisible()).toBe(false)
    expect(await page.locator('#result details:not([open], .exact)').count()).toBe(0)
    expect(await page.locator('.facts').isVisible()).toBe(true)
  })
})

/** A real browser for tests: that of the machine, else the one that an optional package carries. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../../../../', import.meta.url))
const require = createRequire(import.meta.url)

const places = [
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/microsoft-edge',
  '/usr/bin/chromium-browser',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
]

/** `carried`, or the path of a browser, where it has to be that one and no other. */
const wanted = process.env['CONSTANCIA_BROWSER']

/**
 * Starts a browser without a window. Where there is none that starts, says why: nobody who only wants to run the tests has to install one.
 * @returns {Promise<{ browser: import('playwright-core').Browser, why?: undefined } | { browser?: undefined, why: string }>}
 */
export async function startBrowser() {
  /** @type {string[]} */
  const whys = []
  let playwright
  try {
    playwright = await import('playwright-core')
  } catch (error) {
    return { why: `playwright-core cannot be loaded (${firstLine(error)})` }
  }
  const present = wanted === undefined ? places.filter((place) => existsSync(place)) : [wanted]
  for (const found of [...present.filter((place) => place !== 'carried'), ...(isOther(wanted) ? [] : [carried])]) {
    try {
      const how = typeof found === 'string' ? { executablePath: found } : await found()
      // What is opened is our own page; without a sandbox a browser starts for root and in containers too.
      return { browser: await playwright.chromium.launch({ ...how, args: ['--no-sandbox'], timeout: 180_000 }) }
    } catch (error) {
      whys.push(`${typeof found === 'string' ? found : '@sparticuz/chromium'}: ${firstLine(error)}`)
    }
  }
  return { why: whys.join('; ') }
}

function isOther(name) {
  return name !== undefined && name !== 'carried'
}

function firstLine(error) {
  return String(error instanceof Error ? error.message : error).split('\n')[0]
}

/** The browser inside a package, with the libraries that small systems lack beside it; unpacked once. */
async function carried() {
  let home = dirname(require.resolve('@sparticuz/chromium'))
  while (!existsSync(join(home, 'bin')) && home !== dirname(home)) home = dirname(home)
  const { version } = require(join(home, 'package.json'))
  const folder = join(root, '.cache', `chromium-${version}`)
  if (!existsSync(folder)) await unpack(home, folder)
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: join(folder, 'al2023', 'lib'),
    FONTCONFIG_FILE: join(folder, 'fonts.conf'),
  }
  return { executablePath: join(folder, 'chromium'), env }
}

async function unpack(home, folder) {
  // It names this for nobody outside; later versions do, which Node.js 20 cannot install.
  const { inflate } = await import(pathToFileURL(join(home, 'build', 'esm', 'lambdafs.js')).href)
  mkdirSync(dirname(folder), { recursive: true })
  const part = mkdtempSync(`${folder}.`)
  try {
    const packed = ['chromium.br', 'al2023.tar.br', 'fonts.tar.br'].map((name) => join(home, 'bin', name))
    // It unpacks into the folder for temporary files, which it asks for before it waits for anything.
    await Promise.all(withTemporaryFolder(part, () => packed.map((file) => inflate(file))))
    writeFileSync(join(part, 'fonts.conf'), fontsIn(join(folder, 'fonts')))
    renameSync(part, folder)
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

function withTemporaryFolder(folder, call) {
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    return call()
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}

/** Small systems have no fonts at all, and a browser that finds none ends: whatever is asked for, there is the one in this folder. */
function fontsIn(folder) {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
<dir>${folder}</dir>
<dir>/usr/share/fonts</dir>
<cachedir>${folder}/cache</cachedir>
<match target="pattern"><edit name="family" mode="append_last" binding="weak"><string>Open Sans</string></edit></match>
</fontconfig>
`
}

/**
 * Makes the page that verifies files in a browser: one HTML file with its style and its script in it, and a policy that lets nothing else run and
 * nothing be reached. The same sources always make the same bytes. Takes the modules that tsc has written; the script is joined, not
 * minified: whoever wants to read what verifies can.
 */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const home = fileURLToPath(new URL('..', import.meta.url))
/** Where the page is. */
export const pageFile = `${home}dist/page.html`

/** Writes the page, unless it is there already as it should be. Returns its bytes. */
export async function buildPage() {
  const page = pageOf(await script(), lines('page.css'))
  if (!existsSync(pageFile) || readFileSync(pageFile, 'utf8') !== page) writeFileSync(pageFile, page)
  return Buffer.from(page)
}

async function script() {
  const made = await build({
    configFile: false,
    envDir: false,
    root: home,
    logLevel: 'warn',
    build: {
      write: false,
      minify: false,
      target: 'es2022',
      modulePreload: false,
      reportCompressedSize: false,
      lib: { entry: `${home}dist/page/main.js`, formats: ['iife'], name: 'page' },
      rolldownOptions: { output: { comments: false } },
    },
  })
  const [{ output }] = [made].flat()
  if (output.length !== 1) throw new Error('The script of the page is more than one file.')
  return output[0].code
}

function pageOf(script, style) {
  const { version, license } = JSON.parse(readFileSync(`${home}package.json`, 'utf8'))
  // What would end the element, or change how a browser reads on, cannot stand in it.
  if (/<\/script|<!--/i.test(script) || /<\/style/i.test(style))
    throw new Error('The page cannot hold its own script or style.')
  const policy = [
    "default-src 'none'",
    `script-src '${digest(script)}'`,
    `style-src '${digest(style)}'`,
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types constancia',
  ]
  const parts = { VERSION: version, LICENSE: license, POLICY: policy.join('; ') }
  const template = lines('page.html')
  return template
    .replace(/%([A-Z]+)%/g, (_, name) => parts[name])
    .replace('<style></style>', () => `<style>${style}</style>`)
    .replace('<script></script>', () => `<script>${script}</script>`)
}

/** A source of the page, with the line ends that browsers hash. */
function lines(name) {
  return readFileSync(`${home}page/${name}`, 'utf8').replaceAll('\r\n', '\n')
}

function digest(text) {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage()

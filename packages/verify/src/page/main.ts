/** The script of the page: one text, which is the page and, started anew from that text, its worker. Built into page.html by page/build.mjs. */
import { Page } from './page.js'
import { serve } from './worker.js'

if (typeof document === 'undefined') serve(globalThis as unknown as Parameters<typeof serve>[0])
else new Page(document.currentScript?.textContent ?? '').open()

import { meaningText, verdictWords } from '../report/index.js'
import { part } from './element.js'
import { type Given, sizeText } from './facts.js'
import { completeForm, readForm, takeCheckpoint } from './form.js'
import type { Reply } from './messages.js'
import { clearResult, showResult } from './result.js'
import { Verifying } from './worker.js'

/** The page: a file and keys go in, a verdict comes out. `script` is the text of its own script, from which it starts its worker. */
export class Page {
  readonly #verifying: Verifying
  #file: File | undefined

  constructor(script: string) {
    this.#verifying = new Verifying(script)
  }

  /** Begins to listen. */
  open(): void {
    completeForm()
    this.#listenForFiles()
    part('form').addEventListener('submit', (event) => {
      event.preventDefault()
      this.#verify()
    })
    // A verdict beside other fields than those that it was reached with would be a lie.
    part('form').addEventListener('input', () => this.#forget())
    part('stop').addEventListener('click', () => {
      this.#forget()
      say('Stopped. Nothing was verified.')
    })
    part('print').addEventListener('click', () => print())
    addEventListener('beforeprint', () => {
      for (const details of document.querySelectorAll<HTMLDetailsElement>('#result details:not(.exact)'))
        details.open = true
    })
    part('form').hidden = false
  }

  #listenForFiles(): void {
    const input = part<HTMLInputElement>('file')
    input.addEventListener('change', () => this.#take(input.files))
    const kept = part<HTMLInputElement>('earlier-file')
    kept.addEventListener('change', () => {
      const [file] = kept.files ?? []
      if (file === undefined) return
      takeCheckpoint(file)
        .then(() => this.#forget())
        .catch((error: Error) => complain('earlier', error.message))
    })
    // Anywhere on the page: a file that misses the place by an inch would replace the page.
    addEventListener('dragover', (event) => {
      event.preventDefault()
      document.body.classList.add('dragging')
    })
    addEventListener('dragleave', (event) => {
      if (event.relatedTarget === null) document.body.classList.remove('dragging')
    })
    addEventListener('drop', (event) => {
      event.preventDefault()
      document.body.classList.remove('dragging')
      this.#take(event.dataTransfer?.files ?? null)
    })
  }

  #take(files: FileList | null): void {
    const [file] = files ?? []
    if (file === undefined) return
    this.#forget()
    this.#file = file
    part('chosen').textContent = `${file.name}, ${sizeText(file.size)}`
    if (readForm().keys.length > 0) this.#verify()
    else complain('keys', 'Whose key do you trust? Paste it here, then verify.')
  }

  #forget(): void {
    this.#verifying.stop()
    clearResult()
    complain(undefined, '')
    say('')
    part('progress').hidden = true
  }

  #verify(): void {
    this.#forget()
    const file = this.#file
    const written = readForm()
    if (written.keys.length === 0) return complain('keys', 'Whose key do you trust? Paste it here, then verify.')
    if (file === undefined) return complain('file', 'Drop a file here or choose one, then verify.')
    this.#progress(0, file.size)
    const given = { name: file.name, size: file.size, written }
    this.#verifying.ask({ file, written }, (reply) => this.#tell(reply, given))
  }

  #tell(reply: Reply, given: Omit<Given, 'digest'>): void {
    if (reply.kind === 'progress') return this.#progress(reply.bytesRead, given.size)
    part('progress').hidden = true
    if (reply.kind === 'report') {
      const { report, timelines, digest } = reply
      showResult({ report, timelines, given: { ...given, digest } })
      return say(`${verdictWords[report.verdict]}. ${meaningText(report)}`)
    }
    if (reply.kind === 'refused') return complain('keys', `${reply.why} Nothing was verified.`)
    complain('file', `The file could not be read to its end (${reply.why}). Nothing was verified.`)
  }

  #progress(bytesRead: number, size: number): void {
    const percent = size === 0 ? 100 : Math.floor((100 * bytesRead) / size)
    part('progress').hidden = false
    part<HTMLProgressElement>('bar').value = percent
    part('read').textContent = `${percent} % of ${sizeText(size)}`
  }
}

const fields = ['keys', 'file', 'earlier'] as const

/** Says at a field what is wrong with it, and goes there; an empty text takes all of that back. */
function complain(field: (typeof fields)[number] | undefined, text: string): void {
  for (const one of fields) {
    part(`${one}-problem`).textContent = one === field ? text : ''
    if (one === field) part(one).setAttribute('aria-invalid', 'true')
    else part(one).removeAttribute('aria-invalid')
  }
  if (field !== undefined) part(field).focus()
}

/** Says something to those who do not see the page. */
function say(text: string): void {
  part('status').textContent = text
}

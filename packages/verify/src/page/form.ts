import { type CheckName, checkNames, checkWords } from '../report/index.js'
import { element, part } from './element.js'

/** What is written into the form. */
export interface Written {
  /** Without empty lines and spaces around. */
  readonly keys: readonly string[]
  /** What was written, or the name of the first key. */
  readonly origin: string
  readonly earlier: string | undefined
  /** Certificates of time-stamping authorities in PEM, one after the other; empty where there are none. */
  readonly certificates: string
  readonly witnesses: readonly string[]
  /** How many of the witnesses it takes; all unless written. */
  readonly quorum: number | undefined
  readonly require: readonly CheckName[]
  readonly allow: readonly CheckName[]
}

const checkpointBytesMax = 65_536

/** Completes the form: the lists of checks that may be demanded, and that may be left open. */
export function completeForm(): void {
  for (const list of ['require', 'allow'])
    part(list).append(
      ...checkNames.map((name) => {
        const box = element('input', { title: checkWords[name] }) as HTMLInputElement
        box.type = 'checkbox'
        box.value = name
        return element('label', { title: checkWords[name] }, box, name)
      }),
    )
}

/** Reads the form. */
export function readForm(): Written {
  const keys = linesOf('keys')
  const quorum = textOf('quorum').trim()
  const earlier = textOf('earlier')
  return {
    keys,
    origin: textOf('origin').trim() || (keys[0]?.split('+')[0] ?? ''),
    earlier: earlier.trim() === '' ? undefined : checkpointOf(earlier),
    certificates: textOf('certificates').trim(),
    witnesses: linesOf('witnesses'),
    quorum: quorum === '' ? undefined : Number(quorum),
    require: chosenIn('require'),
    allow: chosenIn('allow'),
  }
}

function linesOf(id: string): string[] {
  const lines = textOf(id).split('\n')
  return lines.map((line) => line.trim()).filter((line) => line !== '')
}

function chosenIn(list: string): CheckName[] {
  const boxes = [...part(list).querySelectorAll('input')].filter(({ checked }) => checked)
  return boxes.map(({ value }) => value as CheckName)
}

/** A note ends with a newline, which pasting loses, and has none of a carriage return. */
function checkpointOf(text: string): string {
  return `${text.replaceAll('\r\n', '\n').replace(/\n*$/, '')}\n`
}

/** Puts the text of a kept checkpoint into its field. Rejects where it is none that could be one. */
export async function takeCheckpoint(file: File): Promise<void> {
  if (file.size > checkpointBytesMax) throw new RangeError('The file is too large to be a checkpoint.')
  const field = part<HTMLTextAreaElement>('earlier')
  field.value = await file.text()
}

function textOf(id: string): string {
  return part<HTMLTextAreaElement | HTMLInputElement>(id).value
}

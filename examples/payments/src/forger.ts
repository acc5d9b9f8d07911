/** What somebody does who wants a file to tell another story. */
import { createHash } from 'node:crypto'
import { commitPreimage, headerText } from '@constancia/verify'

/** One byte is changed: a figure of the amount that was paid. */
export function changeOneByte(bundle: string): string {
  const place = amountPlace(bundle)
  return bundle.slice(0, place) + otherFigure(bundle[place] ?? '') + bundle.slice(place + 1)
}

/**
 * The same figure, by somebody who knows the format: commits and hashes of this event and of all that follow it are made anew, as is the digest
 * of the file. All of that takes no key.
 */
export function changeAndChainAnew(bundle: string): string {
  const changed = changeOneByte(bundle)
  const lines = changed.split('\n')
  const begin = lines.findIndex((line) => line.startsWith('stream run/'))
  const stream = (lines[begin] ?? '').split(' ')[1] ?? ''
  let prev = ''
  for (let index = begin + 1; lines[index]?.startsWith('event '); ) {
    const [, seq = '', kind = '', at = '', by = '', seen = '', hash = ''] = (lines[index] ?? '').split(' ')
    const body = textAt(lines, index + 1)
    const data = textAt(lines, body.next)
    if (prev === '') prev = sha256(`constancia.genesis/v1\n${stream}\n`)
    const commits = { bodyCommit: body.commit ?? '', dataCommit: data.commit }
    const made = sha256(headerText({ stream, seq: Number(seq), kind, at: Date.parse(at), by, seen, ...commits, prev }))
    lines[index] = (lines[index] ?? '').replace(hash, made)
    prev = made
    index = data.next
  }
  const end = lines.findIndex((line) => line.startsWith('end '))
  lines[end] = `end ${sha256(`${lines.slice(0, end).join('\n')}\n`)}`
  return lines.join('\n')
}

interface Text {
  /** Undefined where there is none. */
  readonly commit: string | undefined
  /** The line after it. */
  readonly next: number
}

// Texts of this example have no line ends of their own.
function textAt(lines: readonly string[], index: number): Text {
  const [, salt = ''] = (lines[index] ?? '').split(' ')
  if (salt === 'none') return { commit: undefined, next: index + 1 }
  return { commit: sha256(commitPreimage(Buffer.from(salt, 'hex'), lines[index + 1] ?? '')), next: index + 2 }
}

// Where the input begins that executed: the data of what was authorised after the approval.
function amountPlace(bundle: string): number {
  const authorized = bundle.lastIndexOf(' ActionAuthorized ')
  const input = bundle.indexOf('{"invoice":', authorized)
  const found = bundle.indexOf('"cents":', input)
  if (authorized < 0 || input < 0 || found < 0) throw new Error('There is no amount in this file.')
  return found + '"cents":'.length
}

function otherFigure(figure: string): string {
  return figure === '9' ? '1' : '9'
}

function sha256(message: string | Uint8Array): string {
  return createHash('sha256').update(message).digest('hex')
}

import { bytesOfBase64 } from '../bytes.js'

const begin = '-----BEGIN CERTIFICATE-----'
const end = '-----END CERTIFICATE-----'

/** The certificates in a file: PEM, one or several, or DER. Whether they are any is not looked at. Throws `RangeError` for PEM that is none. */
export function certificatesIn(file: Uint8Array): Uint8Array[] {
  const text = new TextDecoder('latin1').decode(file)
  if (!text.includes(begin)) return [file]
  return text
    .split(begin)
    .slice(1)
    .map((part) => {
      const bytes = part.includes(end) ? bytesOfBase64((part.split(end)[0] ?? '').replaceAll(/\s/g, '')) : undefined
      if (bytes === undefined) throw new RangeError('A certificate in the file is no PEM.')
      return bytes
    })
}

/** Makes bytes that neither another life of the same trial makes nor this one again, from 4 bytes on. */
export function uniqueBytes(life: number): (count: number) => Uint8Array {
  let madeCount = 0
  return (count) => {
    const bytes = new Uint8Array(count)
    madeCount += 1
    new DataView(bytes.buffer).setUint32(0, life)
    if (count >= 8) new DataView(bytes.buffer).setUint32(4, madeCount)
    return bytes
  }
}

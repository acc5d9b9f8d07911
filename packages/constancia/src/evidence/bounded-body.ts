/** The body of an answer, read no further than so many bytes. Rejects where there are more, or the connection breaks. */
export async function boundedBody({ body }: Response, bytesMax: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of body ?? []) {
    length += piece.length
    if (length > bytesMax) throw new Error(`it answered with more than ${bytesMax} bytes`)
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}

// WebSocket frames (https://www.rfc-editor.org/rfc/rfc6455#section-5.2), read no further than to know where one ends:
// only there may another be put between them.

export type FrameFollower = {
  push(chunk: Uint8Array): void
  /** Whether everything pushed so far is whole frames. */
  between(): boolean
}

/** Follows the frames of one direction of a connection. */
export function followFrames(): FrameFollower {
  /** Bytes of a header that is not whole yet. */
  let header: number[] = []
  /** Bytes of the payload still to come. */
  let left = 0
  return {
    push(chunk) {
      for (let at = 0; at < chunk.length; ) {
        if (left > 0) {
          const taken = Math.min(left, chunk.length - at)
          left -= taken
          at += taken
          continue
        }
        header.push(chunk[at++] as number)
        if (header.length < headerLength(header)) continue
        left = payloadLength(header)
        header = []
      }
    },
    between: () => left === 0 && header.length === 0,
  }
}

/** A frame that ends the connection, as a server sends it: not masked. `reason` has at most 123 bytes. */
export function closeFrame(code: number, reason: string): Buffer {
  const text = Buffer.from(reason)
  return Buffer.concat([Buffer.from([0x88, text.length + 2, code >> 8, code & 0xff]), text])
}

/** Bytes of the header, as far as its beginning tells. */
function headerLength([, second]: number[]): number {
  if (second === undefined) return 2
  const length = second & 0x7f
  return 2 + (length === 126 ? 2 : length === 127 ? 8 : 0) + (second & 0x80 ? 4 : 0)
}

function payloadLength(header: number[]): number {
  const length = (header[1] as number) & 0x7f
  if (length < 126) return length
  return header.slice(2, length === 126 ? 4 : 10).reduce((sum, byte) => sum * 256 + byte, 0)
}

// How slowly a body may come, and in how small chunks.
import type { IncomingMessage } from 'node:http'

/** Bytes a second: what the slowest of mobile connections still do. */
const MIN_BYTES_PER_SECOND = 500
/** After so many chunks they must have so many bytes on average. */
const MANY_CHUNKS = 1000
const SMALL_CHUNK_BYTES = 32

/**
 * Calls `tooSlow` when the connection brings less than MIN_BYTES_PER_SECOND within `windowMs`, unless unread bytes
 * are waiting here: then the sender is not the slow one. The returned function ends the watch, as does the end of the
 * body.
 */
export function watchRate(incoming: IncomingMessage, windowMs: number, tooSlow: () => void): () => void {
  const { socket } = incoming
  let before = socket.bytesRead
  const timer = setInterval(() => {
    const came = socket.bytesRead - before
    before = socket.bytesRead
    if (incoming.complete || incoming.destroyed) clearInterval(timer)
    else if (came < (MIN_BYTES_PER_SECOND * windowMs) / 1000 && incoming.readableLength === 0) {
      clearInterval(timer)
      tooSlow()
    }
  }, windowMs).unref()
  return () => clearInterval(timer)
}

/** Whether chunks are so small that taking them costs more than all that could be done with them. */
export function areTiny(chunks: number, size: number): boolean {
  return chunks > MANY_CHUNKS && size < chunks * SMALL_CHUNK_BYTES
}

/** Calls `tooMany` once when the chunks that a body comes in are too small, and keeps back what follows. */
export function countChunks(incoming: IncomingMessage, tooMany: () => void): void {
  const { push } = incoming
  let chunks = 0
  let size = 0
  let over = false
  // Where Node's parser puts the chunks in: whoever listened for them would set the stream flowing, or take them.
  incoming.push = (chunk: Buffer | null, encoding) => {
    if (over) return true
    size += chunk?.length ?? 0
    over = areTiny(++chunks, size)
    if (!over) return push.call(incoming, chunk, encoding)
    tooMany()
    return true
  }
}

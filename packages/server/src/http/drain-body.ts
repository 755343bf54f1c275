// Reads and drops the rest of a rejected upload before it is answered: a client that is still sending would otherwise
// see its connection closed and not the error.
import type { IncomingMessage } from 'node:http'

/** Past these bounds the connection is closed although the client is still sending. */
const MAX_DRAINED_BYTES = 128 * 1024 * 1024
const DRAIN_TIMEOUT_MS = 10_000

/** Resolves when the body has ended, or the client has gone, or a bound is reached. */
export async function drain(request: IncomingMessage): Promise<void> {
  if (request.readableEnded || request.destroyed) return
  await new Promise<void>((resolve) => {
    let bytes = 0
    const finish = () => {
      clearTimeout(timer)
      request.off('data', count)
      request.pause()
      resolve()
    }
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_DRAINED_BYTES) finish()
    }
    const timer = setTimeout(finish, DRAIN_TIMEOUT_MS)
    request.unpipe()
    request.once('end', finish)
    request.once('close', finish)
    request.on('data', count)
    request.resume()
  })
}

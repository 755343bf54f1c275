// A refused upload is read to its end before it is answered: a client that is still sending would find its connection
// closed, and never learn why.
import type { HttpBindings } from '@hono/node-server'
import type { MiddlewareHandler } from 'hono'

/** As much is read and dropped, for as long, before the connection is closed on the sender after all. */
const MOST_BYTES = 128 * 1024 * 1024
const LONGEST = 10_000

export const drainRefused: MiddlewareHandler = async (c, next) => {
  await next()
  const request = (c.env as HttpBindings | undefined)?.incoming
  if (c.res.status < 400 || !request || request.readableEnded || request.destroyed) return
  await new Promise<void>((resolve) => {
    let bytes = 0
    const settle = () => {
      clearTimeout(timer)
      request.off('data', count)
      request.pause()
      resolve()
    }
    const count = (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MOST_BYTES) settle()
    }
    const timer = setTimeout(settle, LONGEST)
    request.unpipe()
    request.once('end', settle)
    request.once('close', settle)
    request.on('data', count)
    request.resume()
  })
}

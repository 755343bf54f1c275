// Reads bodies for services behind the router: whole, before the service asks for them, so that what it reads with
// `c.req.text()` or `c.req.json()` is within the bounds of bodies.ts.
import type { IncomingMessage } from 'node:http'
import type { HttpBindings } from '@hono/node-server'
import type { Context, MiddlewareHandler } from 'hono'
import { type Bodies, BodyCutOff, BodyRefused, hasBody } from './bodies.ts'

export interface BodyLimitOptions {
  bodies: Bodies
  /** Bytes. */
  maxSize: number
  /** The service's own words for a refusal, whose headers are put on the answer here. */
  refuse: (c: Context, why: BodyRefused) => Response | Promise<Response>
}

/** Refuses bodies that are too large or come too slowly, and those for which there is no room. */
export function bodyLimit({ bodies, maxSize, refuse }: BodyLimitOptions): MiddlewareHandler {
  return async (c, next) => {
    const incoming = (c.env as HttpBindings | undefined)?.incoming as WithBody | undefined
    // Without a connection the caller is this process itself.
    if (!incoming || !hasBody(incoming)) return next()
    let release: () => void
    try {
      const whole = await bodies.read(incoming, maxSize)
      release = whole.release
      // Where @hono/node-server looks for a body that was read before it.
      incoming.rawBody = whole.bytes
    } catch (error) {
      if (error instanceof BodyCutOff) return c.body(null, 400)
      if (!(error instanceof BodyRefused)) throw error
      for (const [name, value] of Object.entries(error.headers)) c.header(name, value)
      return refuse(c, error)
    }
    try {
      await next()
    } finally {
      release()
    }
  }
}

type WithBody = IncomingMessage & { rawBody?: Buffer }

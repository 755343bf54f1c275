// Mounts services that are still Hono apps as routes of the frame.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import type { Context, Hono } from 'hono'
import { type Caller, NOBODY } from './http/authenticator.ts'
import { hasBody } from './http/bodies.ts'
import type { RequestContext } from './http/request-context.ts'
import type { Access, Route } from './http/route.ts'
import { TokenError } from './keys.ts'

export { type Caller, NO_KEY, WRONG_KEY } from './http/authenticator.ts'

/** Who calls. Throws the TokenError when the request carried a bad token, so nobody takes it for a stranger's. */
export function callerOf(c: Context): Caller {
  const found = (c.env as { caller?: Caller | TokenError }).caller ?? NOBODY
  if (found instanceof TokenError) throw found
  return found
}

/** Routes that hand requests to an app, whose own paths begin with `mount`. */
export function bridge(app: Hono, mount: string, paths: Record<string, Access>): Route[] {
  return Object.entries(paths).map(([path, access]) => ({
    method: '*',
    path,
    access,
    body: 'stream',
    handler: (request) => app.fetch(toRequest(request, mount), environmentOf(request)),
  }))
}

function environmentOf({ incoming, outgoing, callerOrError }: RequestContext) {
  return { incoming, outgoing, caller: callerOrError }
}

function toRequest(request: RequestContext, mount: string): Request {
  const { incoming, method, origin, path, queryText, signal } = request
  const headers = new Headers()
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at] as string, incoming.rawHeaders[at + 1] as string)
  const body = method !== 'GET' && method !== 'HEAD' && hasBody(incoming) ? lazily(incoming) : null
  const address = `${origin}${mount}${path}${queryText && `?${queryText}`}`
  return new Request(address, { method, headers, signal, body, duplex: 'half' } as RequestInit)
}

/** The body once it is read: what body-limit.ts has read before, or what comes. */
function lazily(incoming: IncomingMessage & { rawBody?: Buffer }): ReadableStream {
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  return new ReadableStream(
    {
      async pull(controller) {
        reader ??= (
          incoming.rawBody ? new Blob([new Uint8Array(incoming.rawBody)]).stream() : Readable.toWeb(incoming)
        ).getReader() as ReadableStreamDefaultReader<Uint8Array>
        const { done, value } = await reader.read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
    },
    { highWaterMark: 0 },
  )
}

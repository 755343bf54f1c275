// Sends a web Request over a unix socket and gives back the web Response, both bodies streaming.
import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { webStreamOf } from '../streams.ts'

/** Connections stay open: one that Deno closes after its answer may make the end of a request fail. */
const agent = new Agent({ keepAlive: true, timeout: 60_000 })

/** Headers that concern one connection only. */
const HOP_BY_HOP =
  /^(connection|keep-alive|proxy-connection|proxy-authenticate|proxy-authorization|te|trailer|transfer-encoding|upgrade|expect)$/i

/** Bytes of the headers of an answer. */
const MAX_HEAD_BYTES = 64 * 1024

/** Answers without a body, whatever their headers say. */
const BODILESS_STATUSES = new Set([101, 204, 205, 304])

/**
 * Rejects with Node's own error when the other side goes away before it answered, and with the signal's reason when
 * `signal` aborts; the connection is closed then, which aborts the request over there.
 */
export function send(socket: string, request: Request, signal: AbortSignal): Promise<Response> {
  return new Promise((resolve, reject) => {
    const url = new URL(request.url)
    const headers: Record<string, string> = { host: request.headers.get('host') ?? url.host }
    for (const [name, value] of request.headers) if (!HOP_BY_HOP.test(name)) headers[name] = value
    const outgoing = httpRequest({
      socketPath: socket,
      agent,
      path: url.pathname + url.search,
      method: request.method,
      headers,
      signal,
      maxHeaderSize: MAX_HEAD_BYTES,
    })
    outgoing.on('error', (error) => reject(signal.aborted ? signal.reason : error))
    outgoing.on('response', (incoming) => {
      try {
        resolve(toResponse(incoming, request.method))
      } catch (error) {
        incoming.destroy()
        reject(error)
      }
    })
    if (!request.body) {
      outgoing.end()
      return
    }
    // A function may answer before it has read everything: then the rest is not missed.
    pipeline(Readable.fromWeb(request.body as never), outgoing).catch((error) => outgoing.destroy(error))
  })
}

/** Throws a RangeError for a status that no Response can have. */
function toResponse(incoming: IncomingMessage, method: string): Response {
  const headers = new Headers()
  const { rawHeaders } = incoming
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (!HOP_BY_HOP.test(name)) headers.append(name, rawHeaders[at + 1] as string)
  }
  const status = incoming.statusCode ?? 0
  if (method === 'HEAD' || BODILESS_STATUSES.has(status)) {
    incoming.resume()
    return new Response(null, { status, headers })
  }
  // Aborting after the head cuts the body: whoever reads it learns so.
  incoming.on('error', () => {})
  return new Response(
    webStreamOf(incoming, () => incoming.destroy()),
    { status, headers },
  )
}

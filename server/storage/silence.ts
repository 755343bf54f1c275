// Ends uploads whose sender has fallen silent: no limit on how long an upload may take, but one on how long nothing comes.
import type { IncomingMessage } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import { finished, type Readable } from 'node:stream'

/** Milliseconds without a byte after which a connection is taken for dead. */
const SILENCE = 60_000

/** The same request; it is destroyed when nothing of its body comes for a minute. */
export function endInSilence<Request extends IncomingMessage | Http2ServerRequest>(
  request: Request,
): Request {
  request.setTimeout(SILENCE, () => request.destroy())
  finished(request as Readable, () => request.setTimeout(0))
  return request
}

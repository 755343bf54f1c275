// A browser sends the same headers with most requests on a connection. Where it does, the object that Node made of them
// for the request before is used again, and so is all that is kept by it (see headersJson in rest/query/execute.ts):
// comparing the raw headers costs a tenth of reading them and writing them as JSON anew.
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

type Headers = IncomingMessage['headers']

const latest = new WeakMap<Socket, { raw: readonly string[]; headers: Headers }>()

/** The request's headers by name in lower case. Nobody may change them. */
export function sharedHeaders(incoming: IncomingMessage): Headers {
  const { socket, rawHeaders } = incoming
  const before = latest.get(socket)
  if (before && isSame(before.raw, rawHeaders)) incoming.headers = before.headers
  else latest.set(socket, { raw: rawHeaders, headers: incoming.headers })
  return incoming.headers
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  // Values differ rather than names, and those that came last rather than those of the client.
  for (let at = a.length - 1; at >= 0; at--) if (a[at] !== b[at]) return false
  return true
}

// A handler's answer: status, headers and body, with shortcuts to create one.
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'

export interface Answer {
  status: number
  /** The text next to the status; defaults to HTTP's own. */
  statusText?: string
  /** A header that comes several times is a list. */
  headers: Record<string, string | string[]>
  /** Bytes, text, or a stream that is sent as it comes. */
  body: Buffer | string | Readable | null
  /** How a text becomes bytes where it is not UTF-8: `latin1` is one byte for each character. */
  encoding?: 'latin1'
}

/** A JSON body; status 200 unless given. */
export function json(value: unknown, status = 200, headers: Answer['headers'] = {}): Answer {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(value) }
}

/** Plain text; status 200 unless given. */
export function text(body: string, status = 200, headers: Answer['headers'] = {}): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=UTF-8', ...headers }, body }
}

/** No body; status 204 unless given. */
export function empty(status = 204, headers: Answer['headers'] = {}): Answer {
  return { status, headers, body: null }
}

/** Sends the client elsewhere, to be fetched there with GET (303). */
export function redirect(location: string): Answer {
  return empty(303, { location: asciiAddress(location) })
}

/** Sends a browser elsewhere as OAuth's clients expect it (302). */
export function redirectFound(location: string, headers: Answer['headers'] = {}): Answer {
  return empty(302, { ...headers, location: asciiAddress(location) })
}

/** The address as a header may carry it: a URI has ASCII characters only (RFC 3986; RFC 3987, section 3.1). */
function asciiAddress(address: string): string {
  if (/^[\x21-\x7e]*$/.test(address)) return address
  if (URL.canParse(address)) return new URL(address).href
  return address.replace(/[^\x21-\x7e]+/g, encodeURIComponent)
}

/** A web Response as an answer; its body is sent as it comes. */
export function fromResponse({ status, headers: given, body }: Response): Answer {
  const headers: Answer['headers'] = {}
  // Cookies come one by one, everything else is joined already.
  for (const [name, value] of given) {
    const known = headers[name]
    headers[name] = known === undefined ? value : [known, value].flat()
  }
  return { status, headers, body: body ? Readable.fromWeb(body as ReadableStream) : null }
}

/** As Supabase's gateway answers an address that it does not know. */
export function noRoute(): Answer {
  return json({ message: 'no Route matched with those values' }, 404)
}

// Sends answers: the headers that every answer has, bodies whole or as they come, and the rest of a request's body.
import type { IncomingMessage } from 'node:http'
import { pipeline } from 'node:stream'
import type { Answer } from './answer.ts'
import { hasBody } from './bodies.ts'
import { parseNoMore, REQUEST_ID } from './raw-answer.ts'
import type { RequestContext } from './request-context.ts'

/** Headers that are added to a service's answers. */
export interface FixedHeaders {
  /** By name in lower case; an answer cannot have others. */
  always: Readonly<Record<string, string>>
  /** By name in lower case, where an answer does not bring them itself. */
  unlessGiven: Readonly<Record<string, string>>
  /** As `unlessGiven`, for pages without their own content security policy. */
  pages: Readonly<Record<string, string>>
}

/** Smaller bodies go out with the headers in one write, larger ones without being copied. */
const MAX_COPIED_BYTES = 8 * 1024
/** Milliseconds for which a body that nobody wants may go on after the answer. */
const UNREAD_BODY_TIMEOUT_MS = 5000

export interface Sender {
  /** Throws for headers that HTTP does not allow; then nothing was sent. */
  send(request: RequestContext, answer: Answer, streamsBody: boolean): void
}

export function createSender({ always, unlessGiven, pages }: FixedHeaders): Sender {
  const fixed = Object.entries({ ...unlessGiven, ...always }).flat()
  const locked = new Set([...Object.keys(always), REQUEST_ID])
  const replaceable = new Set(Object.keys(unlessGiven))
  const ofPages = Object.entries(pages).flat()

  return {
    send({ incoming, outgoing, id }, answer, streamsBody) {
      const { status, statusText, headers, encoding } = answer
      const body = typeof answer.body === 'string' && !encoding ? Buffer.from(answer.body) : answer.body
      const isUnread = !incoming.complete && hasBody(incoming)
      const lines: (string | string[])[] = [...fixed, REQUEST_ID, id]
      let hasLength = false
      let isClosing = false
      let isPage = false
      let hasPolicy = false
      for (const name in headers) {
        const lower = name.toLowerCase()
        if (locked.has(lower)) continue
        if (replaceable.has(lower)) lines.splice(lines.indexOf(lower), 2)
        const value = headers[name] as string | string[]
        if (lower === 'content-length') hasLength = true
        else if (lower === 'connection') isClosing = true
        else if (lower === 'content-security-policy') hasPolicy = true
        else if (lower === 'content-type') isPage = value.toString().startsWith('text/html')
        lines.push(name, value)
      }
      if (isPage && !hasPolicy) lines.push(...ofPages)
      if (statusText !== undefined) outgoing.statusMessage = statusText
      if (isUnread && !streamsBody) {
        dropBody(incoming)
        parseNoMore(incoming.socket)
        if (!isClosing) lines.push('connection', 'close')
      }
      const bodiless = status === 204 || status === 304 || incoming.method === 'HEAD'
      if (bodiless || body === null) {
        if (!bodiless && !hasLength) lines.push('content-length', '0')
        outgoing.writeHead(status, lines)
        outgoing.end()
        if (body !== null && typeof body === 'object' && 'destroy' in body) body.destroy()
      } else if (typeof body === 'string') {
        if (!hasLength) lines.push('content-length', String(body.length))
        outgoing.writeHead(status, lines)
        outgoing.end(body, 'latin1')
      } else if (Buffer.isBuffer(body)) {
        if (!hasLength) lines.push('content-length', String(body.length))
        outgoing.writeHead(status, lines)
        // One string with the headers is one write.
        if (body.length < MAX_COPIED_BYTES) outgoing.end(body.toString('latin1'), 'latin1')
        else outgoing.end(body)
      } else {
        outgoing.writeHead(status, lines)
        pipeline(body, outgoing, () => {})
        // With the first bytes where they are there, else before them.
        setImmediate(() => !outgoing.destroyed && !outgoing.writableEnded && outgoing.flushHeaders())
      }
      if (isUnread && streamsBody) outgoing.once('finish', () => !incoming.complete && dropBody(incoming))
    },
  }
}

/** The answer came before the body ended: what still comes is dropped, for as long as a client may need to notice. */
function dropBody(incoming: IncomingMessage): void {
  const timer = setTimeout(() => incoming.destroy(), UNREAD_BODY_TIMEOUT_MS)
  const done = () => clearTimeout(timer)
  incoming.once('end', done)
  incoming.once('close', done)
  incoming.resume()
}

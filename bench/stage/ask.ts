// How people of the town ask their server for something: over connections that stay open, each person from a separate
// address.
import { Agent, request } from 'node:http'

export interface Town {
  port: number
  publishableKey: string
  secretKey: string
  /** Called with every answer: what was asked for, how long it took in milliseconds, and the failure if it was one. */
  onAnswer(kind: string, ms: number, failure: string | null): void
}

export interface Person {
  id: string
  token: string
  /** As a proxy would name it: each person has separate limits. */
  address: string
}

export const agent = new Agent({ keepAlive: true, maxSockets: 2000 })

/** Asks as this person, with a body of JSON or a JPEG's bytes. Resolves to the answer's JSON, an empty list where it has none; null for a failure. */
export function ask(
  { port, publishableKey, onAnswer }: Town,
  by: Person,
  kind: string,
  path: string,
  body?: object | Buffer,
  method = body ? 'POST' : 'GET',
): Promise<unknown> {
  const since = performance.now()
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body ? JSON.stringify(body) : '')
  return new Promise((resolve) => {
    const end = (failure: string | null, value: unknown) => {
      onAnswer(kind, performance.now() - since, failure)
      resolve(value)
    }
    const headers = {
      apikey: publishableKey,
      authorization: `Bearer ${by.token}`,
      'x-forwarded-for': by.address,
      'content-type': Buffer.isBuffer(body) ? 'image/jpeg' : 'application/json',
      ...(bytes.length > 0 && { 'content-length': bytes.length }),
    }
    const sent = request({ port, host: '127.0.0.1', path, method, headers, agent }, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (part) => parts.push(part))
      answer.on('error', (error) => end(error.message, null))
      answer.on('end', () => {
        const text = Buffer.concat(parts).toString()
        const isFine = (answer.statusCode ?? 500) < 300
        const isJson = /json/.test(answer.headers['content-type'] ?? '')
        end(
          isFine ? null : `${answer.statusCode} ${text.slice(0, 200)}`,
          isFine ? (isJson && text ? JSON.parse(text) : []) : null,
        )
      })
    })
    sent.on('error', (error) => end(error.message, null))
    sent.end(bytes)
  })
}

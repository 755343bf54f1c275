// Requests that arrive at the same moment: each is sent but for its last byte, and all last bytes then go out together.
import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'

export interface HeldRequest {
  method?: string
  path: string
  headers?: Record<string, string>
  /** A Buffer is sent unchanged, anything else as JSON. */
  body: unknown
  /** Address of this machine to send from, such as 127.0.0.2. */
  from?: string
}

export interface Answer {
  status: number
  json: Record<string, unknown>
}

/** Sends all requests to the server at `url` so that none is whole before every other has arrived but for a byte. */
export async function together(url: string, requests: HeldRequest[]): Promise<Answer[]> {
  const held = await Promise.all(requests.map((each) => hold(url, each)))
  return Promise.all(held.map((release) => release()))
}

/** Sends one request from an address of this machine. */
export async function sendFrom(url: string, one: HeldRequest): Promise<Answer> {
  return (await hold(url, one))()
}

async function hold(url: string, { method = 'POST', path, headers, body, from }: HeldRequest) {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body))
  // By its number: names of this machine may be IPv6 addresses, which cannot be reached from 127.0.0.2.
  const held = request(new URL(path, url.replace('localhost', '127.0.0.1')), {
    method,
    agent: false,
    localAddress: from,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.length), ...headers },
  })
  await Promise.race([
    new Promise((sent) => held.write(bytes.subarray(0, -1), sent)),
    once(held, 'error').then(([error]) => Promise.reject(error)),
  ])
  return () => finish(held, bytes.subarray(-1))
}

async function finish(held: ClientRequest, rest: Buffer): Promise<Answer> {
  const answered = once(held, 'response')
  held.end(rest)
  const [response] = (await answered) as [IncomingMessage]
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString()
  return { status: response.statusCode ?? 0, json: text === '' ? {} : JSON.parse(text) }
}

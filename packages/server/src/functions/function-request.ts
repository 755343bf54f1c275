// The request as a function sees it: its path begins with the function's name, and its body is counted as it is read.
import type { IncomingMessage } from 'node:http'
import { type Bodies, hasBody } from '../http/bodies.ts'
import type { BodyRefused } from '../http/body-refused.ts'
import type { RequestContext } from '../http/request-context.ts'
import { traceHeaders } from '../observability/tracing/spans.ts'
import { counted, webStreamOf } from './streams.ts'

export type FunctionRequestOptions = {
  bodies: Pick<Bodies, 'count'>
  /** Largest request body in bytes. */
  maxBody: number
  /** The bearer token that an API key stands for when it comes alone; null for a key that is none of ours. */
  bearerOf?: ((apiKey: string) => string | null) | undefined
}

export type FunctionRequest = {
  request: Request
  signal: AbortSignal
  /** Aborts the request. */
  end(reason: Error): void
  /** Resolves when the body is refused. */
  refused: Promise<BodyRefused>
  /** Releases the memory that the body counts for. */
  release(): void
}

export function functionRequest(
  http: RequestContext,
  { bodies, maxBody, bearerOf }: FunctionRequestOptions,
): FunctionRequest {
  const { incoming, method, origin, path, queryText } = http
  const url = origin + path + (queryText && `?${queryText}`)
  const ours = new AbortController()
  const end = (reason: Error) => ours.abort(reason)
  const signal = AbortSignal.any([http.signal, ours.signal])
  let release = () => {}
  let body: ReadableStream<Uint8Array> | null = null
  const refused = new Promise<BodyRefused>((resolve) => {
    if (method === 'GET' || method === 'HEAD' || !hasBody(incoming)) return
    const counting = bodies.count(incoming, maxBody, (why) => {
      end(why)
      counting.release()
      resolve(why)
    })
    release = counting.release
    body = counted(webStreamOf(incoming), counting.part)
  })
  const headers = functionHeaders(http, bearerOf)
  const request = new Request(url, { method, headers, body, signal, duplex: 'half' } as RequestInit)
  return { request, signal, end, refused, release: () => release() }
}

export function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string)
  return headers
}

function functionHeaders(http: RequestContext, bearerOf: FunctionRequestOptions['bearerOf']): Headers {
  const headers = headersOf(http.incoming)
  // A function reads who calls from the bearer token; as on Supabase, a key in `apikey` alone becomes one.
  const apiKey = headers.get('apikey')
  const bearer = apiKey && !headers.has('authorization') ? bearerOf?.(apiKey) : null
  if (bearer) headers.set('authorization', `Bearer ${bearer}`)
  // As on Supabase, and by this server's own check of the caller: what a client writes there is not believed.
  if (http.address) headers.set('x-forwarded-for', http.address)
  else headers.delete('x-forwarded-for')
  for (const [name, value] of Object.entries(traceHeaders())) headers.set(name, value)
  return headers
}

// Which answers pages of other origins may read: https://fetch.spec.whatwg.org/#http-cors-protocol.
import type { IncomingMessage } from 'node:http'
import type { Answer } from './answer.ts'

export interface CorsPolicy {
  methods: readonly string[]
  /** Headers of an answer that scripts may read. */
  exposed: readonly string[]
  /** Seconds for which browsers remember a preflight's answer. */
  maxAge?: number
}

/** The policy of Supabase's gateway: every origin and every header. */
export const GATEWAY_CORS: CorsPolicy = {
  methods: ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE', 'OPTIONS'],
  exposed: [
    ...['Content-Encoding', 'Content-Location', 'Content-Range', 'Content-Type', 'Date', 'Location'],
    ...['Range-Unit', 'Retry-After', 'X-Total-Count', 'Link', 'X-Supabase-Api-Version', 'Preference-Applied'],
    'sb-request-id',
  ],
  maxAge: 3600,
}

/** The headers of every answer under a policy. */
export function corsHeaders({ exposed }: CorsPolicy): Record<string, string> {
  return { 'access-control-allow-origin': '*', 'access-control-expose-headers': exposed.join(',') }
}

/** Whether a browser asks what it may ask: any other OPTIONS is the service's own to answer. */
export function isPreflight({ method, headers }: IncomingMessage): boolean {
  return method === 'OPTIONS' && headers['access-control-request-method'] !== undefined
}

/** The answer to a preflight; `corsHeaders` come on top. */
export function preflight({ headers }: IncomingMessage, { methods, maxAge }: CorsPolicy): Answer {
  const wanted = headers['access-control-request-headers']
  return {
    status: 204,
    headers: {
      ...(maxAge === undefined ? {} : { 'access-control-max-age': String(maxAge) }),
      'access-control-allow-methods': methods.join(','),
      ...(wanted
        ? {
            'access-control-allow-headers': wanted
              .split(',')
              .map((name) => name.trim())
              .join(','),
            vary: 'Access-Control-Request-Headers',
          }
        : {}),
    },
    body: null,
  }
}

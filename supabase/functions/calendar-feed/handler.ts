// The calendar of a person's bookings for calendar programs: GET ?token=<token> → text/calendar. Programs ask once an hour or so
// and have no other way to prove who they are (ADR 0070).
import { createHash } from 'node:crypto'
import { HttpError } from '../_shared/respond.ts'
import { callAsService, type Environment, required } from '../_shared/supabase.ts'
import { type FeedFacts, feedFile } from './feed.ts'

const TOKEN = /^[0-9a-f]{64}$/
const HEADERS = {
  // The address is a secret, and so is the answer.
  'cache-control': 'private, no-cache',
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
}

export default async function handler(request: Request, env: Environment): Promise<Response> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return text(405, 'Use GET', { allow: 'GET, HEAD' })
  }
  const token = new URL(request.url).searchParams.get('token') ?? ''
  try {
    const facts = TOKEN.test(token)
      ? await callAsService<FeedFacts | null>(env, 'calendar_feed', { token })
      : null
    if (facts === null) return text(404, 'This calendar address does not exist any more')
    return answer(request, feedFile(facts, new URL(required(env, 'SITE_URL')).origin))
  } catch (error) {
    if (!(error instanceof HttpError)) console.error('The calendar cannot be made', error)
    return text(503, 'The calendar cannot be made just now', { 'retry-after': '60' })
  }
}

function answer({ headers, method }: Request, file: string): Response {
  const etag = `"${createHash('sha256').update(file).digest('base64url').slice(0, 27)}"`
  const known = (headers.get('if-none-match') ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''))
  if (known.includes(etag)) return new Response(null, { status: 304, headers: { ...HEADERS, etag } })
  return new Response(method === 'HEAD' ? null : file, {
    headers: {
      ...HEADERS,
      etag,
      'content-type': 'text/calendar; charset=utf-8',
      'content-disposition': 'inline; filename="meadowlark.ics"',
    },
  })
}

function text(status: number, body: string, headers: Record<string, string> = {}): Response {
  return new Response(body, {
    status,
    headers: { ...HEADERS, 'content-type': 'text/plain; charset=utf-8', ...headers },
  })
}

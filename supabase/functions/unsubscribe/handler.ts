// The address in an e-mail's List-Unsubscribe header (RFC 8058). A POST by the mail program unsubscribes at once. A
// visitor gets the web app's page, which asks first, because mail scanners open every link.
import { z } from 'zod'
import { endpoint } from '../_shared/endpoint.ts'
import { HttpError } from '../_shared/respond.ts'
import { callAsService, type Environment, required } from '../_shared/supabase.ts'

const token = z.uuid()

const unsubscribe = endpoint(
  {
    caller: 'anyone',
    // The body, List-Unsubscribe=One-Click, says nothing that the address does not.
    body: (request) => tokenOf(request),
    failure: { code: 'email.unsubscribe_failed' },
  },
  ({ body, env }) => callAsService<object>(env, 'set_email_subscription', { token: body, subscribed: false }),
)

export default async function handler(request: Request, env: Environment): Promise<Response> {
  if (request.method === 'GET' || request.method === 'HEAD') {
    const page = new URL('/unsubscribe', required(env, 'SITE_URL'))
    page.search = new URL(request.url).search
    return new Response(null, { status: 303, headers: { location: page.href, 'cache-control': 'no-store' } })
  }
  if (request.method !== 'POST' && request.method !== 'OPTIONS') {
    return Response.json({ error: 'Use GET or POST' }, { status: 405, headers: { allow: 'GET, POST' } })
  }
  return unsubscribe(request, env)
}

function tokenOf(request: Request): string {
  const { data, success } = token.safeParse(new URL(request.url).searchParams.get('token'))
  if (!success) throw new HttpError(400, 'token: must be that of an e-mail', { field: 'token' })
  return data
}

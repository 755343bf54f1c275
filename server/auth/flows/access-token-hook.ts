// The hook of access tokens: the function of the database that config.toml names under
// [auth.hook.custom_access_token] changes the claims. Follows https://supabase.com/docs/guides/auth/auth-hooks/custom-access-token-hook.
import type { JWTPayload } from 'jose'
import pg from 'pg'
import { z } from 'zod'
import type { Queryable } from '../../sql/queryable.ts'
import { withoutData } from '../database-failures.ts'
import { AuthError } from '../errors.ts'
import type { AuthService } from '../service.ts'

/** As on Supabase. */
const HOOK_TIMEOUT = '2s'

/** The claims that clients and services need, whatever the hook changed. */
const requiredClaims = z.looseObject({
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.int(),
  iat: z.int(),
  sub: z.string(),
  email: z.string(),
  phone: z.string(),
  role: z.string(),
  aal: z.string(),
  session_id: z.string(),
  is_anonymous: z.boolean(),
})

const refusal = z.object({
  error: z.object({ message: z.string().min(1), http_code: z.int().min(400).max(599).catch(500) }),
})

/**
 * The claims as the project's hook answers them, unchanged where there is no hook. `client` is in a transaction. Throws
 * the hook's own error, or unexpected_failure when it fails or leaves out a claim that a token needs.
 */
export async function claimsByHook(
  client: Queryable,
  { settings, log }: AuthService,
  claims: JWTPayload,
  method: string,
): Promise<JWTPayload> {
  const { enabled, uri } = settings.hook.custom_access_token
  const place = enabled && functionOf(uri)
  if (!place) return claims
  const name = place.map((part) => pg.escapeIdentifier(part)).join('.')
  let answer: unknown
  try {
    await client.query(`set local role supabase_auth_admin; set local statement_timeout = '${HOOK_TIMEOUT}'`)
    const { rows } = await client.query(`select ${name}($1) as answer`, [
      JSON.stringify({ user_id: claims.sub, claims, authentication_method: method }),
    ])
    await client.query('set local role none; set local statement_timeout to default')
    answer = rows[0]?.answer
  } catch (error) {
    log.error({ ...withoutData(error), hook: uri }, 'the hook of access tokens failed')
    throw failed(`Error running hook URI: ${uri}`)
  }
  const refused = refusal.safeParse(answer)
  if (refused.success) {
    const { http_code: status, message } = refused.data.error
    const code = status === 500 ? 'unexpected_failure' : 'unknown'
    throw new AuthError(status, code, message)
  }
  const given = (answer as { claims?: unknown } | null)?.claims
  const checked = requiredClaims.safeParse(given)
  if (checked.success) return checked.data
  const wrong = checked.error.issues.map(
    ({ path, message }) => `- ${path.join('.') || '(root)'}: ${message}\n`,
  )
  throw failed(`output claims do not conform to the expected schema: \n${wrong.join('')}`)
}

/** Schema and name of `pg-functions://postgres/<schema>/<function>`; null for an address of another kind. */
export function functionOf(uri: string): [string, string] | null {
  const parts = /^pg-functions:\/\/[^/]+\/([^/]+)\/([^/]+)$/.exec(uri)
  return parts ? [parts[1] as string, parts[2] as string] : null
}

const failed = (message: string) => new AuthError(500, 'unexpected_failure', message)

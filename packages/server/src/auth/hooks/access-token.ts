// The hook [auth.hook.custom_access_token], which changes the claims of access tokens. Follows
// https://supabase.com/docs/guides/auth/auth-hooks/custom-access-token-hook.
import type { JWTPayload } from 'jose'
import { z } from 'zod'
import type { Transaction } from '../../sql/queryable.ts'
import { unexpected } from '../errors.ts'
import type { AuthService } from '../service.ts'
import { isHookEnabled, runHook } from './hooks.ts'

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

/**
 * The claims as the project's hook answers them, unchanged where there is no hook. `client` is in a transaction. Throws
 * what `runHook` throws, and unexpected_failure when the answer leaves out a claim that a token needs.
 */
export async function claimsByHook(
  client: Transaction,
  service: AuthService,
  claims: JWTPayload,
  { method, ip }: { method: string; ip: string | null },
): Promise<JWTPayload> {
  if (!isHookEnabled(service, 'custom_access_token')) return claims
  const input = { user_id: claims.sub, claims, authentication_method: method }
  const answer = await runHook(service, 'custom_access_token', input, { client, ip })
  if (!('claims' in answer)) throw unexpected('output claims field is missing')
  const checked = requiredClaims.safeParse(answer.claims)
  if (checked.success) return checked.data
  const wrong = checked.error.issues.map(
    ({ path, message }) => `- ${path.join('.') || '(root)'}: ${message}\n`,
  )
  throw unexpected(`output claims do not conform to the expected schema: \n${wrong.join('')}`)
}

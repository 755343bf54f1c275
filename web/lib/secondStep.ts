// Whether the second step of a sign-in is still to come: the account has a second factor that this session did not prove.
import type { Session } from '@supabase/supabase-js'

/**
 * Whether `getAuthenticatorAssuranceLevel` would return nextLevel aal2 above currentLevel aal1, read from the session
 * itself: a listener of auth events may not call the client.
 */
export function awaitsSecondStep({ access_token, user }: Session): boolean {
  return (
    (user.factors ?? []).some(({ status }) => status === 'verified') &&
    assuranceLevel(access_token) === 'aal1'
  )
}

/** How much the token's session has proved (`aal1`, `aal2`). */
export const assuranceLevel = (accessToken: string): string => tokenPayload(accessToken).aal

/** The claims of the token. It is our own, so nothing is verified here. Throws if it is not a token. */
export function tokenPayload(accessToken: string): { aal: string; exp: number } {
  const payload = accessToken.split('.')[1] ?? ''
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/')))
}

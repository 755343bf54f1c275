// Whether the second step of a sign-in is still to come: the account has a second factor that this session did not prove.
import type { Session } from '@supabase/supabase-js'

/**
 * What `getAuthenticatorAssuranceLevel` answers as nextLevel aal2 above currentLevel aal1, read off the session itself: a
 * listener of auth events may not call the client.
 */
export function awaitsSecondStep({ access_token, user }: Session): boolean {
  return (
    (user.factors ?? []).some(({ status }) => status === 'verified') &&
    assuranceLevel(access_token) === 'aal1'
  )
}

/** How much the token's session has proved (`aal1`, `aal2`). The token is our own, so nothing is verified here. */
export function assuranceLevel(accessToken: string): string {
  const payload = accessToken.split('.')[1] ?? ''
  return JSON.parse(atob(payload.replaceAll('-', '+').replaceAll('_', '/'))).aal
}

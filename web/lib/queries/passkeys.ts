// Passkeys as the sign-in screen and the Security tab both know them.
import { isAuthError } from '@supabase/supabase-js'
import { queryOptions } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { errorText } from '../errorText.ts'
import { authSettings } from '../supabase.ts'

/** Whether people may have passkeys here: the service allows them, and this browser knows them. */
export const passkeysAvailableQuery = queryOptions({
  queryKey: ['auth', 'passkeysAvailable'],
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }) =>
    'PublicKeyCredential' in window && (await authSettings(signal)).passkeys_enabled === true,
})

/** Whether the person closed the browser's question, or left it unanswered: no failure to show. */
export function isAbandoned(error: Error): boolean {
  const { cause } = error
  return [error, cause].some(
    (one) => one instanceof Error && ['NotAllowedError', 'AbortError'].includes(one.name),
  )
}

/** Whether the service refused what the authenticator answered. */
export const isRefusedPasskey = (error: unknown): boolean =>
  isAuthError(error) && String(error.code).startsWith('webauthn_')

/**
 * Why a passkey or security key was not added, or did not sign in. For what the browser refused, the client library has
 * English alone; `otherwise` is for the rest.
 */
export function passkeyFailureText(error: Error, t: TFunction, otherwise = errorText(error)): string {
  const code = 'code' in error ? String(error.code) : ''
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return t('auth.passkeyKnown')
  return code.startsWith('ERROR_') ? t('auth.passkeyFailed') : otherwise
}

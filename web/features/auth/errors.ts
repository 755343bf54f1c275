// The auth service's errors in the words of the specification (000 §8).
import { isAuthError } from '@supabase/supabase-js'
import type { TFunction } from 'i18next'
import { site } from '../../lib/site.ts'

/** `fallback` is shown when the service sent no words of its own. */
function serverMessage(error: unknown, fallback: string): string {
  const message = isAuthError(error) ? error.message : ''
  return message && message !== '{}' ? message : fallback
}

export function isUnconfirmed(error: unknown): boolean {
  return (
    isAuthError(error) && (error.code === 'email_not_confirmed' || error.message === 'Email not confirmed')
  )
}

export function signInMessage(error: unknown, t: TFunction): string {
  if (isUnconfirmed(error)) return t('auth.emailNotConfirmed')
  if (isAuthError(error) && error.code === 'user_banned')
    return t('auth.suspended', { email: site.contactEmail })
  if (isAuthError(error) && error.message === 'Invalid login credentials') return t('auth.invalidCredentials')
  return serverMessage(error, t('auth.signInFallback'))
}

export function signUpMessage(error: unknown, t: TFunction): string {
  if (isAuthError(error) && /already (been )?registered/i.test(error.message))
    return t('auth.alreadyRegistered')
  return serverMessage(error, t('auth.signUpFallback'))
}

export function otherMessage(error: unknown, t: TFunction): string {
  return serverMessage(error, t('ui.errorTitle'))
}

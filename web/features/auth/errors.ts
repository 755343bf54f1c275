// The auth service's errors in the words of the specification (000 §8).
import { isAuthError } from '@supabase/supabase-js'
import type { TFunction } from 'i18next'
import { contactEmail } from '../../../marketplace.config.ts'
import { errorText } from '../../lib/errorText.ts'
import { emailedBefore } from './confirmation.ts'

export function isUnconfirmed(error: unknown): boolean {
  return isAuthError(error) && error.code === 'email_not_confirmed'
}

export function signInMessage(error: unknown, t: TFunction): string {
  if (isUnconfirmed(error)) return t('auth.emailNotConfirmed')
  if (isAuthError(error) && error.code === 'user_banned') return t('auth.suspended', { email: contactEmail })
  if (isAuthError(error) && error.code === 'invalid_credentials') return t('auth.invalidCredentials')
  return errorText(error, t('auth.signInFallback'))
}

const REGISTERED = ['user_already_exists', 'email_exists', 'phone_exists']

export const isRegistered = (error: unknown) => isAuthError(error) && REGISTERED.includes(String(error.code))

/** Whether the name was refused by a rule that only the database has. */
export const isAboutName = (error: unknown) =>
  isAuthError(error) && /^profile\.name_/.test(String(error.code))

export function signUpMessage(error: unknown, t: TFunction): string {
  const seconds = emailedBefore(error)
  if (seconds !== null) return t('auth.signUpTooSoon', { seconds })
  if (isRegistered(error)) return t('auth.alreadyRegistered')
  return errorText(error, t('auth.signUpFallback'))
}

/** Of an e-mail's link: it was used, is too old or was replaced. */
export const isSpentLink = (error: unknown) => isAuthError(error) && error.code === 'otp_expired'

export function otherMessage(error: unknown, t: TFunction): string {
  return errorText(error, t('ui.errorTitle'))
}

/** Why a code of an authenticator app was refused. */
export function codeMessage(error: unknown, t: TFunction): string {
  if (!isAuthError(error) || error.code !== 'mfa_verification_failed') return otherMessage(error, t)
  return t(error.message.includes('already used') ? 'auth.codeUsed' : 'auth.codeWrong')
}

// How long to wait between two e-mails to one address, as the service says.
import { isAuthError } from '@supabase/supabase-js'
import { RESEND_AFTER_SECONDS } from '../../../shared/limits.ts'
import { secondsToWait } from '../../lib/secondsToWait.ts'

/** The seconds that are left when the service refuses because another e-mail has just gone out; else null. */
export function secondsUntilRetry(error: unknown): number | null {
  if (!isAuthError(error) || error.status !== 429) return null
  return secondsToWait(error) ?? RESEND_AFTER_SECONDS
}

/**
 * The seconds after which a sign-up can be sent again, because its address was written to a moment ago. The account
 * of that sign-up is unknown: hosted Supabase has not recorded this one. Null for every other failure, also for the
 * quota of all e-mails.
 */
export function emailedBefore(error: unknown): number | null {
  return isAuthError(error) ? secondsToWait(error) : null
}

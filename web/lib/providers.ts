// The services by whose word people sign in: which of them there are, what they are called, and why it may not work.
import { queryOptions } from '@tanstack/react-query'
import type { TFunction } from 'i18next'
import { contactEmail } from '../../marketplace.config.ts'
import { type CustomProvider, config } from './config.ts'
import { PROVIDER_NAMES as NAMES } from './providerNames.ts'
import type { RedirectFailure } from './queries/redirectFailure.ts'
import { authSettings } from './supabase.ts'

type BuiltIn = keyof typeof NAMES
/** `custom:<name>` is one that administrators have set up at the auth service. */
export type ProviderId = BuiltIn | CustomProvider['id']

/** The provider's own name, in every language. */
export const providerName = (id: string): string =>
  NAMES[id as BuiltIn] ??
  config.customProviders.find((custom) => custom.id === id)?.name ??
  id.replace(/^custom:/, '')

/** Those that the auth service has switched on, and those of its administrators that the configuration names. */
export const providersQuery = queryOptions({
  queryKey: ['auth', 'providers'],
  queryFn: async ({ signal }) => {
    const { external } = await authSettings(signal)
    const builtIn = (Object.keys(NAMES) as BuiltIn[]).filter((id) => external[id])
    return [...builtIn, ...config.customProviders.map(({ id }) => id)] as ProviderId[]
  },
  staleTime: Number.POSITIVE_INFINITY,
})

/** Why a provider's word was not enough, for a person to read; null where something else failed. */
export function providerFailureText({ code }: RedirectFailure, t: TFunction): string | null {
  switch (code) {
    case 'access_denied':
      return t('errors.providerDeclined')
    case 'provider_email_needs_verification':
    case 'email_not_confirmed':
      return t('errors.providerEmailUnverified')
    case 'bad_oauth_state':
    case 'bad_oauth_callback':
    case 'flow_state_already_used':
    case 'session_not_found':
      return t('errors.providerTooLate')
    case 'identity_already_exists':
      return t('errors.providerTaken')
    case 'user_banned':
      return t('auth.suspended', { email: contactEmail })
    case 'unexpected_failure':
    case 'server_error':
      return t('errors.providerUnreachable')
    default:
      return null
  }
}

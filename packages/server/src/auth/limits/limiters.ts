// The limits of [auth.rate_limit] in config.toml: requests per client address, messages for the whole server.
import type { Config } from '../../config/config.ts'
import { rateLimiter } from './rate-limiter.ts'

const FIVE_MINUTES_S = 300
const HOUR_S = 3600

/** Applications that strangers register in five minutes from one address; as GoTrue's default. */
const MAX_OAUTH_REGISTRATIONS = 10

export type Limiters = ReturnType<typeof createLimiters>

/** The limiters that count requests by client address, as the table of routes names them. */
export type RequestLimit =
  | 'anonymousUsers'
  | 'signInSignUps'
  | 'tokenRefresh'
  | 'tokenVerifications'
  | 'web3'
  | 'samlAssertions'
  | 'oauthRegistrations'

/** Makes the limiters; the settings' units are the CLI's: per hour or per five minutes. */
export function createLimiters({ rate_limit: settings, saml }: Config['auth']) {
  const perHour = (amount: number) => rateLimiter({ amount, window: HOUR_S })
  const perFiveMinutes = (amount: number) => rateLimiter({ amount, window: FIVE_MINUTES_S })
  return {
    emailSent: perHour(settings.email_sent),
    smsSent: perHour(settings.sms_sent),
    emailRequests: perHour(shareOf(settings.email_sent)),
    smsRequests: perHour(shareOf(settings.sms_sent)),
    anonymousUsers: perHour(settings.anonymous_users),
    tokenRefresh: perFiveMinutes(settings.token_refresh),
    signInSignUps: perFiveMinutes(settings.sign_in_sign_ups),
    tokenVerifications: perFiveMinutes(settings.token_verifications),
    web3: perFiveMinutes(settings.web3),
    samlAssertions: perFiveMinutes(saml.rate_limit_assertion),
    oauthRegistrations: perFiveMinutes(MAX_OAUTH_REGISTRATIONS),
  }
}

/** One address's share of a common quota: a tenth, but at least ten if the quota allows. */
const shareOf = (quota: number): number => Math.max(Math.ceil(quota / 10), Math.min(quota, 10))

/** The part of a quota that is kept for confirmed accounts. */
export const reserveOf = (quota: number): number => Math.floor(quota / 5)

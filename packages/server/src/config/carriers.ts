// [auth.sms] of config.toml: text messages, and the carrier that takes them. The first one that is enabled counts, in the
// order in which the Supabase CLI looks.
import { z } from 'zod'
import { ConfigError } from './config-error.ts'
import { duration, flag, integer, named, table, text } from './values.ts'

/** The settings of each carrier's account. */
const CARRIERS = {
  twilio: ['account_sid', 'message_service_sid', 'auth_token'],
  twilio_verify: ['account_sid', 'message_service_sid', 'auth_token'],
  messagebird: ['originator', 'access_key'],
  textlocal: ['sender', 'api_key'],
  vonage: ['from', 'api_key', 'api_secret'],
} as const

type Carrier = keyof typeof CARRIERS

/** An account at a carrier: its name, and the settings of its table. */
export type CarrierAccount = {
  [Name in Carrier]: { name: Name } & Record<(typeof CARRIERS)[Name][number], string>
}[Carrier]

const account = (names: readonly string[]) =>
  z
    .object({ enabled: flag.default(false) }, 'must be a table')
    .and(z.object(Object.fromEntries(names.map((name) => [name, text.optional()]))))
    .prefault({} as never)

export const sms = table({
  /** The CLI's newer name of `enable_signup`. */
  enabled: flag.optional(),
  enable_signup: flag.default(false),
  enable_confirmations: flag.default(false),
  template: text.default('Your code is {{ .Code }}'),
  max_frequency: duration.prefault('5s'),
  otp_length: integer(6, 10).default(6),
  otp_expiry: integer(1, 86_400).default(60),
  test_otp: named(text),
  twilio: account(CARRIERS.twilio),
  twilio_verify: account(CARRIERS.twilio_verify),
  messagebird: account(CARRIERS.messagebird),
  textlocal: account(CARRIERS.textlocal),
  vonage: account(CARRIERS.vonage),
}).transform(({ enabled, ...settings }) => ({
  ...settings,
  enable_signup: enabled ?? settings.enable_signup,
}))

/** Where text messages leave through; null where no carrier is enabled. Throws a ConfigError naming what lacks. */
export function carrierAccount(settings: z.output<typeof sms>): CarrierAccount | null {
  const name = (Object.keys(CARRIERS) as Carrier[]).find((carrier) => settings[carrier].enabled)
  if (!name) return null
  const missing = CARRIERS[name].filter((key) => !settings[name][key])
  if (missing.length > 0) {
    throw new ConfigError(
      missing.map(
        (key) => `supabase/config.toml: [auth.sms.${name}] is enabled, but ${key} is not set; set it`,
      ),
    )
  }
  return { name, ...settings[name] } as unknown as CarrierAccount
}

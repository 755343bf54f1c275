// Stripe itself, where its keys are set: functions find them in their environment, pages may load its scripts.

import type { Config } from '@meadowlark/server/config/config.ts'
import { ConfigError } from '@meadowlark/server/config/config-error.ts'
import type { PluginSettings, PluginVariables } from '@meadowlark/server/config/plugin-settings.ts'
import type { Shortcoming } from '@meadowlark/server/config/waivers.ts'
import { ok, warning } from '@meadowlark/server/doctor/finding.ts'
import type { PolicySources } from '@meadowlark/server/http/security-headers.ts'
import type { Plugin } from '@meadowlark/server/plugin.ts'
import { z } from 'zod'

export type StripeAccount = { secretKey: string; publishableKey: string; webhookSecret: string }

const key = (prefixes: RegExp, words: string) =>
  z.string().regex(prefixes, `must begin with ${words}`).optional()

export const stripeSettings: PluginSettings = {
  variables: {
    STRIPE_SECRET_KEY: key(/^(sk|rk)_/, 'sk_ or rk_'),
    STRIPE_PUBLISHABLE_KEY: key(/^pk_/, 'pk_'),
    STRIPE_WEBHOOK_SECRET: key(/^whsec_/, 'whsec_'),
  },
  waivers: ['missing-stripe', 'test-stripe-keys', 'mixed-stripe-keys'],
  check(variables, { production, ownProject, functionSecrets }) {
    const account = stripeAccount(variables)
    const { secretKey, publishableKey } = account ?? {}
    const keys = { STRIPE_SECRET_KEY: secretKey, STRIPE_PUBLISHABLE_KEY: publishableKey }
    const ofFunctions = Object.entries(functionSecrets).map(
      ([name, value]) => [`supabase/functions/.env or [edge_runtime.secrets]: ${name}`, value] as const,
    )
    return [
      ...(production && ownProject && !account ? [MISSING] : []),
      ...(production ? [...Object.entries(keys), ...ofFunctions].flatMap(testKey) : []),
      ...mixedKeys(keys),
    ]
  },
}

/** All of its keys, or null where none is set. Throws a ConfigError for some of them. */
export function stripeAccount(variables: PluginVariables): StripeAccount | null {
  const given = Object.keys(stripeSettings.variables).map((name) => [name, variables[name]] as const)
  const missing = given.filter(([, value]) => !value)
  if (missing.length === given.length) return null
  if (missing.length > 0) {
    throw new ConfigError(
      missing.map(([name]) => `${name}: is not set, but another STRIPE_ variable is; set all three or none`),
    )
  }
  const [secretKey, publishableKey, webhookSecret] = given.map(([, value]) => value as string)
  return { secretKey, publishableKey, webhookSecret } as StripeAccount
}

/**
 * Whether the sandbox answers in the place of Stripe: never in production or with Stripe's keys, and for another project only
 * where STRIPE_SANDBOX says so.
 */
export function usesStripeSandbox({
  production,
  ownProject,
  pluginVariables,
}: Pick<Config, 'production' | 'ownProject' | 'pluginVariables'>): boolean {
  if (production || stripeAccount(pluginVariables)) return false
  return ownProject || pluginVariables.STRIPE_SANDBOX === true
}

const MISSING: Shortcoming = {
  waiver: 'missing-stripe',
  line: 'STRIPE_SECRET_KEY: is not set, so nobody could pay or be paid; set STRIPE_SECRET_KEY, STRIPE_PUBLISHABLE_KEY and STRIPE_WEBHOOK_SECRET',
}

function testKey([name, value]: readonly [string, string | undefined]): Shortcoming[] {
  if (modeOf(value) !== 'test') return []
  return [
    {
      waiver: 'test-stripe-keys',
      line: `${name}: is a test key, with which nobody really pays; set a live one`,
    },
  ]
}

/** Keys that do not belong together, which is wrong in development, too. */
function mixedKeys(
  keys: Record<'STRIPE_SECRET_KEY' | 'STRIPE_PUBLISHABLE_KEY', string | undefined>,
): Shortcoming[] {
  const [secret, publishable] = [modeOf(keys.STRIPE_SECRET_KEY), modeOf(keys.STRIPE_PUBLISHABLE_KEY)]
  if (!secret || !publishable || secret === publishable) return []
  return [
    {
      waiver: 'mixed-stripe-keys',
      line: `STRIPE_SECRET_KEY: is a ${secret} key, but STRIPE_PUBLISHABLE_KEY is a ${publishable} key; set both from the same page of Stripe's dashboard`,
    },
  ]
}

function modeOf(value: string | undefined): 'test' | 'live' | null {
  return (/^(?:sk|rk|pk)_(test|live)_/.exec(value ?? '')?.[1] as 'test' | 'live' | undefined) ?? null
}

/** Sources that Stripe's script needs on pages. https://docs.stripe.com/security/guide#content-security-policy */
export const PAGE_SOURCES: PolicySources = {
  'script-src': ['https://*.js.stripe.com', 'https://js.stripe.com'],
  'img-src': ['https://*.stripe.com'],
  'connect-src': ['https://api.stripe.com'],
  'frame-src': ['https://*.js.stripe.com', 'https://js.stripe.com', 'https://hooks.stripe.com'],
}

export function stripePlugin(
  account: StripeAccount | null,
  { ownProject, production, publicUrl }: Pick<Config, 'ownProject' | 'production' | 'publicUrl'>,
): Plugin {
  if (!account) {
    const without = production
      ? warning('payments', 'no STRIPE_ variable is set; nobody can pay until all three are')
      : ok('payments', 'the sandbox stands in for Stripe')
    return { name: 'stripe', examine: async () => (ownProject ? [without] : []) }
  }
  return {
    name: 'stripe',
    environment: () => ({
      STRIPE_SECRET_KEY: account.secretKey,
      STRIPE_PUBLISHABLE_KEY: account.publishableKey,
      STRIPE_WEBHOOK_SECRET: account.webhookSecret,
    }),
    pageSources: PAGE_SOURCES,
    async examine() {
      if (!ownProject) return []
      const { examineStripe } = await import('./payments-check.ts')
      return examineStripe(account.secretKey, `${publicUrl}/functions/v1/stripe-webhook`)
    },
  }
}

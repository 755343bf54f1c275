// The payment provider as the browser reaches it: the publishable key, and the sandbox's Stripe API if that is used.
// https://docs.stripe.com/keys
import i18next from 'i18next'
import { config } from './config.ts'
import { invokeFunction } from './functions.ts'

/** The publishable key. Throws an Error for the person to read. */
export async function readPublishableKey(): Promise<string> {
  const { publishableKey } = await invokeFunction<{ publishableKey?: string }>('get-stripe-config').catch(
    () => {
      throw new Error(i18next.t('payments.initializeFailed'))
    },
  )
  if (!publishableKey) throw new Error(i18next.t('payments.keyMissing'))
  return publishableKey
}

export type StripeRefusal = { message?: string; code?: string; param?: string }

/** Calls the sandbox's Stripe API with the publishable key; `error` holds a refusal. Parameters are Stripe's form fields. */
export async function callSandboxStripe<Answer>(
  publishableKey: string,
  method: 'GET' | 'POST',
  path: string,
  params: Record<string, string>,
): Promise<Answer & { error?: StripeRefusal }> {
  const form = new URLSearchParams(params)
  const url = new URL(`/sandbox/stripe/v1/${path}${method === 'GET' ? `?${form}` : ''}`, config.supabaseUrl)
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${publishableKey}` },
    ...(method === 'POST' ? { body: form } : {}),
  })
  return response.json()
}

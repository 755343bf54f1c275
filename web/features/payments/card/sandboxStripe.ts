// The sandbox's Stripe API as a browser uses it: the publishable key, and a client secret for each intent.
// Follows https://docs.stripe.com/api (payment_methods, payment_intents/confirm).
import { callSandboxStripe } from '../../../lib/stripe.ts'
import { type IntentState, intentState } from './paymentProvider.ts'

export type TypedCard = { number: string; month: string; year: string; cvc: string }

type Intent = {
  id: string
  status: string
  next_action: { use_stripe_sdk?: { stripe_js?: string } } | null
  last_payment_error: { message?: string } | null
}

type Failure = { error?: { message?: string; code?: string; payment_intent?: Intent } }

/** How an attempt to pay went: it is done, or the bank wants to ask the payer on a page of its own. */
export type Attempt = { state: IntentState } | { authenticateAt: string }

export function sandboxStripe(publishableKey: string) {
  const call = <Answer>(method: 'GET' | 'POST', path: string, params: Record<string, string>) =>
    callSandboxStripe<Answer & Failure>(publishableKey, method, path, params)
  const intentPath = (clientSecret: string) => `payment_intents/${clientSecret.split('_secret_')[0]}`

  const read = async (clientSecret: string): Promise<Intent> => {
    const intent = await call<Intent>('GET', intentPath(clientSecret), { client_secret: clientSecret })
    if (intent.error) throw new Error(intent.error.message)
    return intent
  }

  return {
    async retrieve(clientSecret: string): Promise<IntentState> {
      return intentState((await read(clientSecret)).status)
    },

    async pay(clientSecret: string, card: TypedCard): Promise<Attempt> {
      const method = await call<{ id: string }>('POST', 'payment_methods', {
        type: 'card',
        'card[number]': card.number,
        'card[exp_month]': card.month,
        'card[exp_year]': card.year,
        'card[cvc]': card.cvc,
      })
      if (method.error) throw new Error(method.error.message)
      const intent = await call<Intent>('POST', `${intentPath(clientSecret)}/confirm`, {
        client_secret: clientSecret,
        payment_method: method.id,
      })
      if (intent.error) {
        // Paid in another tab meanwhile: that is no failure.
        const state = intentState(intent.error.payment_intent?.status)
        if (state !== 'payable') return { state }
        throw new Error(intent.error.message)
      }
      const page = intent.next_action?.use_stripe_sdk?.stripe_js
      return intent.status === 'requires_action' && page
        ? { authenticateAt: page }
        : { state: intentState(intent.status) }
    },

    /** How the payment stands after the bank asked. Throws when the bank or the payer refused. */
    async afterAuthentication(clientSecret: string): Promise<IntentState> {
      const intent = await read(clientSecret)
      if (intent.last_payment_error) throw new Error(intent.last_payment_error.message)
      return intentState(intent.status)
    },
  }
}

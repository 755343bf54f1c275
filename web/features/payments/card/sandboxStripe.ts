// The sandbox's Stripe API as a browser uses it: the publishable key, and a client secret for each intent.
// Follows https://docs.stripe.com/api (payment_methods, payment_intents/confirm, setup_intents/confirm).
import { callSandboxStripe } from '../../../lib/stripe.ts'
import { type CardError, cardFailure } from './cardFailure.ts'
import { type IntentState, intentOf, intentState } from './paymentProvider.ts'

export type TypedCard = { number: string; month: string; year: string; cvc: string }

type Intent = {
  id: string
  status: string
  next_action: { use_stripe_sdk?: { stripe_js?: string } } | null
  last_payment_error?: CardError | null
  last_setup_error?: CardError | null
}

type Failure = { error?: CardError & { payment_intent?: Intent } }

/** How an attempt went: it is done, or the bank asks the card's owner on its own page. */
export type Attempt = { state: IntentState } | { authenticateAt: string }

export function sandboxStripe(publishableKey: string) {
  const call = <Answer>(method: 'GET' | 'POST', path: string, params: Record<string, string>) =>
    callSandboxStripe<Answer & Failure>(publishableKey, method, path, params)
  const pathOf = (clientSecret: string) =>
    `${clientSecret.startsWith('seti_') ? 'setup_intents' : 'payment_intents'}/${intentOf(clientSecret)}`

  const refused = (clientSecret: string, error: CardError) =>
    cardFailure(error, clientSecret.startsWith('seti_') ? 'payments.cardNotSaved' : 'payments.failedBody')

  const read = async (clientSecret: string): Promise<Intent> => {
    const intent = await call<Intent>('GET', pathOf(clientSecret), { client_secret: clientSecret })
    if (intent.error) throw refused(clientSecret, intent.error)
    return intent
  }

  /** A card that was entered becomes a payment method. */
  const methodOf = async (clientSecret: string, card: TypedCard): Promise<string> => {
    const method = await call<{ id: string }>('POST', 'payment_methods', {
      type: 'card',
      'card[number]': card.number,
      'card[exp_month]': card.month,
      'card[exp_year]': card.year,
      'card[cvc]': card.cvc,
    })
    if (method.error) throw refused(clientSecret, method.error)
    return method.id
  }

  return {
    async retrieve(clientSecret: string): Promise<IntentState> {
      return intentState((await read(clientSecret)).status)
    },

    /** Pays or saves, as the secret is a payment's or a setup's, with a saved card's id or an entered card. */
    async confirm(clientSecret: string, card: TypedCard | string): Promise<Attempt> {
      const intent = await call<Intent>('POST', `${pathOf(clientSecret)}/confirm`, {
        client_secret: clientSecret,
        payment_method: typeof card === 'string' ? card : await methodOf(clientSecret, card),
      })
      if (intent.error) {
        // Paid in another tab meanwhile: that is not a failure.
        const state = intentState(intent.error.payment_intent?.status)
        if (state !== 'payable') return { state }
        throw refused(clientSecret, intent.error)
      }
      const page = intent.next_action?.use_stripe_sdk?.stripe_js
      return intent.status === 'requires_action' && page
        ? { authenticateAt: page }
        : { state: intentState(intent.status) }
    },

    /** Its state after the bank asked. Throws when the bank or the card's owner refused. */
    async afterAuthentication(clientSecret: string): Promise<IntentState> {
      const intent = await read(clientSecret)
      const error = intent.last_payment_error ?? intent.last_setup_error
      if (error) throw refused(clientSecret, error)
      return intentState(intent.status)
    },
  }
}

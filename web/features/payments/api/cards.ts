// Saved cards: read, added, made the default, removed (specification 001 §7). The shown details of a card come from
// the payment provider through the function that stores it.
import { queryOptions } from '@tanstack/react-query'
import i18next from 'i18next'
import { FunctionFailure, invokeFunction } from '../../../lib/functions.ts'
import { readPublishableKey } from '../../../lib/stripe.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import type { PaymentProvider } from '../card/paymentProvider.ts'

const CARD_KEYS = [['cards']]

export type SavedCard = Awaited<ReturnType<typeof readCards>>[number]

async function readCards(userId: string, signal: AbortSignal) {
  const { data } = await supabase
    .from('payment_methods')
    .select('id, stripe_payment_method_id, card_brand, card_last4, card_exp_month, card_exp_year, is_default')
    .eq('user_id', userId)
    .order('created_at', { ascending: false })
    .abortSignal(signal)
    .throwOnError()
  return data
}

/** The person's own cards, newest first. */
export const cardsQuery = (userId: string) =>
  queryOptions({ queryKey: ['cards', userId], queryFn: ({ signal }) => readCards(userId, signal) })

/** The key that a card entry needs; without one no card can be added. */
export const publishableKeyQuery = queryOptions({
  queryKey: ['publishable-key'],
  queryFn: readPublishableKey,
  staleTime: Number.POSITIVE_INFINITY,
  retry: false,
})

/** Has the provider keep the card that was entered; our words on why where it refuses it. */
export const addCard: Action<PaymentProvider> = {
  invalidates: CARD_KEYS,
  callbacksAfterRefresh: true,
  run: async (provider) => {
    const { clientSecret } = await invokeFunction<{ clientSecret?: string }>('create-setup-intent')
    if (!clientSecret) throw new FunctionFailure(502, i18next.t('payments.cardNotSaved'))
    await invokeFunction('save-payment-method', { setupIntent: await provider.save(clientSecret) })
  },
}

export const removeCard: Action<{ id: string }> = {
  invalidates: CARD_KEYS,
  invalidatesOnError: true,
  callbacksAfterRefresh: true,
  run: async ({ id }) => {
    await supabase.from('payment_methods').delete().eq('id', id).throwOnError()
  },
}

export const makeDefaultCard: Action<{ id: string }> = {
  invalidates: CARD_KEYS,
  invalidatesOnError: true,
  run: async ({ id }) => {
    await supabase.rpc('set_default_payment_method', { id }).throwOnError()
  },
}

// A saved card in words.
import type { TFunction } from 'i18next'
import type { SavedCard } from '../api/cards.ts'

/** Brands by the provider's names; others are shown as they are called. https://docs.stripe.com/api/cards/object */
const brands: Record<string, string> = {
  amex: 'American Express',
  diners: 'Diners Club',
  discover: 'Discover',
  jcb: 'JCB',
  mastercard: 'Mastercard',
  unionpay: 'UnionPay',
  visa: 'Visa',
}

export function cardName({ card_brand, card_last4 }: SavedCard, t: TFunction): string {
  const brand = brands[card_brand ?? ''] ?? card_brand ?? t('payments.card')
  return card_last4 ? t('payments.cardEnding', { brand, last4: card_last4 }) : brand
}

export function cardExpires({ card_exp_month, card_exp_year }: SavedCard, t: TFunction): string {
  const month = String(card_exp_month ?? '').padStart(2, '0')
  return t('payments.cardExpires', { date: `${month} / ${String(card_exp_year ?? '').slice(-2)}` })
}

/** Whether the card's last month is over. */
export function hasExpired({ card_exp_month, card_exp_year }: SavedCard, today = new Date()): boolean {
  if (!card_exp_month || !card_exp_year) return false
  return card_exp_year * 12 + card_exp_month - 1 < today.getFullYear() * 12 + today.getMonth()
}

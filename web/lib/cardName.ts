// A card as people know it: its brand and its last four digits.
import type { TFunction } from 'i18next'

type NamedCard = { card_brand: string | null; card_last4: string | null }

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

/** 'Visa ending in 4242'. */
export function cardName({ card_brand, card_last4 }: NamedCard, t: TFunction): string {
  const brand = brands[card_brand ?? ''] ?? card_brand ?? t('ui.card.any')
  return card_last4 ? t('ui.card.ending', { brand, last4: card_last4 }) : brand
}

// A saved card in words.
import type { TFunction } from 'i18next'
import type { SavedCard } from '../api/cards.ts'

export function cardExpires({ card_exp_month, card_exp_year }: SavedCard, t: TFunction): string {
  const month = String(card_exp_month ?? '').padStart(2, '0')
  return t('payments.cardExpires', { date: `${month} / ${String(card_exp_year ?? '').slice(-2)}` })
}

/** Whether the card's last month is over. */
export function hasExpired({ card_exp_month, card_exp_year }: SavedCard, today = new Date()): boolean {
  if (!card_exp_month || !card_exp_year) return false
  return card_exp_year * 12 + card_exp_month - 1 < today.getFullYear() * 12 + today.getMonth()
}

// The questions of /faq with their answers, for the page itself and for what search engines read of it.
import type { TFunction } from 'i18next'
import { fees } from '../../../shared/fees.ts'
import { cents } from '../../../shared/money.ts'
import { formatMoney } from '../../lib/format.ts'

const QUESTIONS = [
  'what',
  'post',
  'cost',
  'minimum',
  'verified',
  'escrow',
  'unhappy',
  'cancel',
  'paid',
  'keep',
  'insurance',
  'privacy',
] as const

const EXAMPLE_AMOUNT = cents(10_000)

/** All of them, in the language of `t`. */
export function faq(t: TFunction): { id: string; question: string; answer: string }[] {
  const { platformFee, payout } = fees(EXAMPLE_AMOUNT)
  const example = {
    amount: formatMoney(EXAMPLE_AMOUNT),
    amountAfterFee: formatMoney(cents(EXAMPLE_AMOUNT - platformFee)),
    amountAfterFeeAndTax: formatMoney(payout),
  }
  return QUESTIONS.map((id) => ({
    id,
    question: t(`pages.faq.${id}.question`),
    answer: t(`pages.faq.${id}.answer`, example),
  }))
}

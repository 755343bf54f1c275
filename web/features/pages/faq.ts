// The questions of /faq with their answers, for the page itself and for what search engines read of it.
import type { TFunction } from 'i18next'
import { GST_PERCENT, PLATFORM_FEE_PERCENT } from '../../../shared/fees.ts'
import { limits } from '../../../shared/limits.ts'
import { fromDollars } from '../../../shared/money.ts'
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

/** All of them, in the language of `t`. */
export function faq(t: TFunction): { id: string; question: string; answer: string }[] {
  const figures = {
    fee: PLATFORM_FEE_PERCENT,
    gst: GST_PERCENT,
    both: PLATFORM_FEE_PERCENT + GST_PERCENT,
    afterFee: 100 - PLATFORM_FEE_PERCENT,
    afterGst: 100 - PLATFORM_FEE_PERCENT - GST_PERCENT,
    minimum: formatMoney(fromDollars(limits.payAmount.min)),
  }
  return QUESTIONS.map((id) => ({
    id,
    question: t(`pages.faq.${id}.question`, figures),
    answer: t(`pages.faq.${id}.answer`, figures),
  }))
}

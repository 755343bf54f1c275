// The words of a receipt or statement, shared by the page and the PDF.
import type { TFunction } from 'i18next'
import { cents } from '../../../shared/money.ts'
import { cardName } from '../../lib/cardName.ts'
import { formatDate, formatMoney } from '../../lib/format.ts'
import { receiptNumber } from '../../lib/queries/receipt.ts'
import type { AmountLine } from '../../ui/AmountLines.tsx'
import type { Receipt } from './api/queries.ts'

export type Sheet = {
  /** 'Receipt'. */
  name: string
  /** 'R-12'. */
  number: string
  issued: string
  issuer: { name: string; address: string | null; gst: string | null }
  facts: { label: string; value: string }[]
  /** As it was issued. */
  lines: AmountLine[]
  /** Later changes; empty if there are none. */
  since: AmountLine[]
  notes: string[]
}

export function sheetOf(receipt: Receipt, t: TFunction): Sheet {
  const { kind, issuer } = receipt
  const toGiver = kind === 'receipt'
  const someone = (name: string | null) => name ?? t('receipts.formerMember')
  return {
    name: t(`receipts.${kind}`),
    number: receiptNumber(receipt),
    issued: formatDate(receipt.issued_at),
    issuer: {
      name: issuer.name,
      address: issuer.address,
      gst: issuer.gst_number && t('receipts.gstNumber', { number: issuer.gst_number }),
    },
    facts: [
      { label: t(toGiver ? 'receipts.paidBy' : 'receipts.paidTo'), value: someone(receipt.person_name) },
      { label: t(toGiver ? 'receipts.tasker' : 'receipts.giver'), value: someone(receipt.other_name) },
      ...(receipt.card_last4 ? [{ label: t('receipts.paymentMethod'), value: cardName(receipt, t) }] : []),
      { label: t('receipts.task'), value: receipt.task_title },
    ],
    lines: linesOf(receipt, t),
    since: toGiver ? returnedLines(receipt, t) : correctedLines(receipt, t),
    notes: [
      ...splitNote(receipt, t),
      ...(toGiver ? giverNotes(receipt, t) : taskerNotes(receipt, t)),
      t('receipts.currency'),
    ],
  }
}

function linesOf(receipt: Receipt, t: TFunction): AmountLine[] {
  const { kind, basis, amount, platform_fee, gst, total } = receipt
  const less = kind === 'statement'
  const sum = { amount: total, total: true }
  if (amount === null || platform_fee === null || gst === null)
    return [{ label: t('receipts.payoutDecided'), ...sum }]
  const fees = [
    {
      label: t('receipts.platformFee', { percent: receipt.platform_fee_percent }),
      amount: platform_fee,
      less,
    },
    { label: t('receipts.gst', { percent: receipt.gst_percent }), amount: gst, less },
  ]
  return [
    { label: t(`receipts.basis.${basis}`), amount },
    // Expenses and tips have no fees: "Platform fee (15%) $0.00" would contradict itself.
    ...(basis === 'expense' || basis === 'tip' ? [] : fees),
    { label: t(less ? 'receipts.payout' : 'receipts.paid'), ...sum },
  ]
}

/** The amount returned to the giver, and the amount that stays paid. */
function returnedLines({ total, payment }: Receipt, t: TFunction): AmountLine[] {
  const lost = cents(Math.min(payment.lost_amount, total))
  const refund = payment.refund_amount
  if (lost + refund === 0) return []
  const stays = cents(total - lost - refund)
  const isFee = stays > 0 && stays === payment.cancellation_fee
  return [
    { label: t('receipts.returnedByBank'), amount: lost, less: true },
    { label: t('receipts.refund'), amount: refund, less: true },
    { label: t(isFee ? 'receipts.staysAsFee' : 'receipts.stays'), amount: stays, total: true },
  ].filter((line) => !('less' in line) || line.amount > 0)
}

/** A payout that an administrator decided about after it was issued. */
function correctedLines({ total, payment }: Receipt, t: TFunction): AmountLine[] {
  const taken = cents(total - payment.payout_amount)
  if (taken === 0) return []
  return [
    { label: t('receipts.takenBack'), amount: taken, less: true },
    { label: t('receipts.payoutAfter'), amount: payment.payout_amount, total: true },
  ]
}

/** Each side's part of a split. */
function splitNote({ kind, person_name, other_name, payment }: Receipt, t: TFunction): string[] {
  if (!payment.complaint.some(({ decision }) => decision === 'split')) return []
  const [giver, tasker] = kind === 'receipt' ? [person_name, other_name] : [other_name, person_name]
  return [
    t('receipts.split', {
      giver: giver ?? t('receipts.formerMember'),
      tasker: tasker ?? t('receipts.formerMember'),
      refund: formatMoney(payment.refund_amount, { exact: true }),
      payout: formatMoney(payment.payout_amount, { exact: true }),
    }),
  ]
}

function giverNotes({ payment, other_name }: Receipt, t: TFunction): string[] {
  const { escrow_status, refund_status, refund_amount, refunded_at, released_at, open_disputes } = payment
  const notes: string[] = []
  if (escrow_status === 'held') notes.push(t('receipts.held'))
  if (escrow_status === 'frozen') notes.push(t('receipts.frozen'))
  if (escrow_status === 'released' && released_at) {
    const name = other_name ?? t('receipts.formerMember')
    notes.push(t('receipts.released', { name, date: formatDate(released_at) }))
  }
  if (refund_amount > 0) {
    if (refund_status === 'sent' && refunded_at)
      notes.push(t('receipts.refundSent', { date: formatDate(refunded_at) }))
    else if (open_disputes > 0) notes.push(t('receipts.refundWaits'))
    else if (refund_status !== 'failed') notes.push(t('receipts.refundUnderWay'))
    else notes.push(`${t('receipts.returning', { amount: formatMoney(refund_amount, { exact: true }) })}.`)
  }
  return notes
}

function taskerNotes({ payment }: Receipt, t: TFunction): string[] {
  const { payout_status: status, payout_amount, open_disputes, unsettled_loss } = payment
  if (payout_amount === 0 || status === 'none') return []
  const onHold = status !== 'sent' && (open_disputes > 0 || unsettled_loss > 0)
  return [t(`receipts.payoutStatus.${onHold ? 'onHold' : status}`)]
}

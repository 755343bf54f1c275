// The states of payouts, of jobs and to the bank, in words and colours, and why a bank sent one back.
import type { TextKey } from '../../i18n/index.ts'
import type { Enums } from '../../lib/database.types.ts'
import type { Tone } from '../../ui/Badge.tsx'

export type PayoutState = Enums<'transfer_status'> | 'onHold'

/** The state of a job's payout; on hold while a chargeback is open or its loss undecided. */
export function stateOf({
  payment,
}: {
  payment: { payout_status: Enums<'transfer_status'>; open_disputes: number; unsettled_loss: number }
}): PayoutState {
  const onHold = payment.open_disputes > 0 || payment.unsettled_loss > 0
  return onHold && payment.payout_status !== 'sent' ? 'onHold' : payment.payout_status
}

export const stateTones: Record<PayoutState, Tone> = {
  none: 'neutral',
  waiting: 'waiting',
  queued: 'info',
  sent: 'success',
  failed: 'danger',
  reversed: 'danger',
  onHold: 'waiting',
}

export const depositTones: Record<Enums<'payout_state'>, Tone> = {
  pending: 'info',
  in_transit: 'info',
  paid: 'success',
  canceled: 'neutral',
  failed: 'danger',
}

/** The provider's codes (https://docs.stripe.com/api/payouts/failures) that a tasker can do something about. */
const reasons: Record<string, TextKey> = {
  account_closed: 'payouts.returned.closed',
  account_frozen: 'payouts.returned.restricted',
  bank_account_restricted: 'payouts.returned.restricted',
  bank_account_unusable: 'payouts.returned.restricted',
  bank_ownership_changed: 'payouts.returned.owner',
  incorrect_account_holder_name: 'payouts.returned.owner',
  invalid_account_number: 'payouts.returned.number',
  incorrect_account_type: 'payouts.returned.number',
  invalid_currency: 'payouts.returned.currency',
  no_account: 'payouts.returned.number',
}

export function reasonOf(code: string | null): TextKey {
  return reasons[code ?? ''] ?? 'payouts.returned.unknown'
}

// The fields of a booking that this feature needs, and what it hands to the payment of a change.
import type { Price } from '../../../shared/fees.ts'
import type { Cents } from '../../../shared/money.ts'
import type { Enums } from '../../lib/database.types.ts'
import type { Change } from '../../lib/queries/changes.ts'

export type ChangingBooking = {
  id: string
  status: Enums<'booking_status'>
  task_giver_id: string
  task_doer_id: string
  expense_limit: Cents | null
  doer: { full_name: string | null } | null
  task: { title: string; giver: { full_name: string | null } | null }
  payment: {
    amount: Cents
    reduction: Cents
    total: Cents
    escrow_status: Enums<'escrow_status'>
    released_at: string | null
  } | null
  changes: Change[]
}

/** Paying a change: what it is, its price, what happens with the money, and what has happened once it is paid. */
export type PayableExtra = { id: string; about: string; price: Price; hint: string; done: string }

// Offers of another price than the posted one, as the screens read them from a booking (supabase/schemas/offers.sql).
import { type Cents, fromDollars } from '../../shared/money.ts'
import type { Json } from './database.types.ts'

/** A price to choose; `starts_at` is null for the task's own time. */
export type OfferOption = { amount: Cents; starts_at: string | null }

type Agreed = {
  accepted_option: number | null
  counter_starts_at: string | null
  counter_state: string | null
  offer_options: OfferOption[] | null
  posted_date: string | null
  /** Proposals of another time, oldest first. */
  proposals: { state: string; before_starts_at: string | null }[]
}

/** The time to which a task returns if its booking is cancelled: that before an offer or proposal changed it (private.posted_time). */
export function postedTime(booking: Agreed, scheduled: string | null): string | null {
  const option = booking.offer_options?.[(booking.accepted_option ?? 0) - 1]
  const offered = booking.counter_state === 'accepted' ? booking.counter_starts_at : option?.starts_at
  if (offered) return booking.posted_date
  const moved = booking.proposals.find(({ state }) => state === 'accepted')
  return moved ? moved.before_starts_at : scheduled
}

/** The options of `bookings.offer_options`; null for an application at the posted price. */
export function offerOptionsFrom(stored: Json): OfferOption[] | null {
  if (!Array.isArray(stored)) return null
  const options = stored as { amount: number; starts_at: string | null }[]
  return options.map(({ amount, starts_at }) => ({ amount: fromDollars(amount), starts_at }))
}

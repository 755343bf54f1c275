// Offers of another price than the posted one, as the screens read them from a booking (supabase/schemas/offers.sql).
import { type Cents, fromDollars } from '../../shared/money.ts'
import type { Json } from './database.types.ts'

/** A price to choose; `starts_at` is null for the task's own time. */
export type OfferOption = { amount: Cents; starts_at: string | null }

/** The options of `bookings.offer_options`; null for an application at the posted price. */
export function offerOptionsFrom(stored: Json): OfferOption[] | null {
  if (!Array.isArray(stored)) return null
  const options = stored as { amount: number; starts_at: string | null }[]
  return options.map(({ amount, starts_at }) => ({ amount: fromDollars(amount), starts_at }))
}

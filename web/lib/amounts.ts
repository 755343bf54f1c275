// The fee policy in dollars, as screens and the Data API speak; shared/fees.ts reckons in whole cents.
import { cancellationFee, fees } from '../../shared/fees.ts'
import { fromDollars, toDollars } from '../../shared/money.ts'

export type Amounts = { amount: number; platformFee: number; gst: number; total: number; payout: number }

/** What a task of `dollars` costs the giver and brings the tasker, in dollars. */
export function amountsOf(dollars: number): Amounts {
  const { platformFee, gst, total, payout } = fees(fromDollars(dollars))
  return {
    amount: dollars,
    platformFee: toDollars(platformFee),
    gst: toDollars(gst),
    total: toDollars(total),
    payout: toDollars(payout),
  }
}

/** What a giver who cancels a paid booking now leaves behind, in dollars. `scheduled` as the database tells it. */
export function cancellationFeeOf(dollars: number, scheduled: string | null, at: Date): number {
  return toDollars(cancellationFee(fromDollars(dollars), scheduled === null ? null : new Date(scheduled), at))
}

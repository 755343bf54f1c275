// The fee policy in dollars, as screens and the Data API speak; shared/fees.ts reckons in whole cents.
import { cancellationFee, fees } from '../../shared/fees.ts'

const cents = (dollars: number) => Math.round(dollars * 100)

export type Amounts = { amount: number; platformFee: number; gst: number; total: number; payout: number }

/** What a task of `dollars` costs the giver and brings the tasker, in dollars. */
export function amountsOf(dollars: number): Amounts {
  const { platformFee, gst, total, payout } = fees(cents(dollars))
  return {
    amount: dollars,
    platformFee: platformFee / 100,
    gst: gst / 100,
    total: total / 100,
    payout: payout / 100,
  }
}

/** What a giver who cancels a paid booking now leaves behind, in dollars. `scheduled` as the database tells it. */
export function cancellationFeeOf(dollars: number, scheduled: string | null, at: Date): number {
  return cancellationFee(cents(dollars), scheduled === null ? null : new Date(scheduled), at) / 100
}

// The form of an offer: up to three prices, each with a time or none, and the reason. Rows are numbered, because a form reports
// its errors by the names of fields.
import { limits } from '../../../shared/limits.ts'
import { type Cents, toDollars } from '../../../shared/money.ts'
import { trimmed } from '../../../shared/text.ts'
import type { TextKey } from '../../i18n/index.ts'
import { byClock, coming } from '../../lib/typedTimes.ts'
import { z } from '../../lib/zod.ts'
import { applicationSchema, characters, payAmount } from './schema.ts'

const key = (text: TextKey) => text

export const ROWS = [1, 2, 3] as const
export type Row = (typeof ROWS)[number]

/** The rules of a form that shows so many rows; the others are left out. Times are by the clock of the task's place. */
export const offerSchema = (rows: Row, timeZone: string) =>
  byClock(rulesOf(rows), ['at1', 'at2', 'at3'], () => timeZone)

/** A price as of a task; an empty field is asked for by its name. */
const offeredAmount = z
  .string()
  .refine((typed) => trimmed(typed) !== '', { error: key('applying.offer.amountMissing'), abort: true })
  .pipe(payAmount)

const rulesOf = (rows: Row) =>
  z
    .object({
      message: applicationSchema.shape.message,
      amount1: offeredAmount,
      at1: coming(),
      amount2: rows > 1 ? offeredAmount : z.string().transform(() => null),
      at2: coming(),
      amount3: rows > 2 ? offeredAmount : z.string().transform(() => null),
      at3: coming(),
      offer_reason: z
        .string()
        .refine((typed) => trimmed(typed) !== '', {
          error: key('applying.offer.reasonRequired'),
          abort: true,
        })
        .refine((typed) => characters(typed) <= limits.offerReason.max, key('applying.offer.reasonTooLong'))
        .transform(trimmed),
    })
    .superRefine((form, context) => {
      const written = optionsFrom(form).map((option) => JSON.stringify(option))
      const twice = written.findIndex((option, at) => written.indexOf(option) < at)
      if (twice > 0)
        context.addIssue({
          code: 'custom',
          message: key('applying.offer.same'),
          path: [`amount${twice + 1}`],
        })
    })

export type OfferForm = z.input<ReturnType<typeof offerSchema>>
export type Offer = z.output<ReturnType<typeof offerSchema>>

export const EMPTY_OFFER: OfferForm = {
  message: '',
  amount1: '',
  at1: '',
  amount2: '',
  at2: '',
  amount3: '',
  at3: '',
  offer_reason: '',
}

/** The options as the database takes them, in dollars. */
export function optionsFrom(
  offer: Omit<Offer, 'offer_reason' | 'message'>,
): { amount: number; starts_at: string | null }[] {
  return ROWS.flatMap((row) => {
    const amount: Cents | null = offer[`amount${row}`]
    return amount === null ? [] : [{ amount: toDollars(amount), starts_at: offer[`at${row}`] }]
  })
}

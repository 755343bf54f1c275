// The fee policy in TypeScript and in SQL are one policy, and every way a booking can end splits the money by it.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cancellationFee, fees } from '../../shared/fees.ts'
import { cents, fromDollars, share } from '../../shared/money.ts'
import { balances, bookingAt, cancel, paymentOf, settleWithProvider } from './lives.ts'
import { cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

/** node-postgres reads a numeric column as text. */
const fromNumeric = (dollars: string) => fromDollars(Number(dollars))
const hour = 3_600_000

describe('the twins', () => {
  it('agree on every amount', async () => {
    const amounts = fc
      .sample(fc.integer({ min: 0, max: 10_000_000 }), 3000)
      .concat([0, 1, 10, 2500, 2501, 2503, 9999])
    const { rows } = await owner(db)(`select a, f.* from unnest($1::int[]) a, private.fees(a / 100.0) f`, [
      amounts,
    ])
    for (const row of rows) {
      expect({
        platformFee: fromNumeric(row.platform_fee),
        gst: fromNumeric(row.gst),
        total: fromNumeric(row.total),
        payout: fromNumeric(row.payout_amount),
      }).toEqual(fees(row.a))
    }
  })

  it('agree on every cancellation', async () => {
    const cases = fc
      .sample(
        fc.tuple(fc.integer({ min: 2500, max: 10_000_000 }), fc.integer({ min: -50 * hour, max: 50 * hour })),
        1000,
      )
      .concat([hour, hour - 1, hour + 1, 24 * hour, 24 * hour - 1, 0, -1].map((left) => [2500, left]))
    const at = new Date('2026-01-15T18:00:00.000Z')
    const { rows } = await owner(db)(
      `select a, l::float8 as left, private.cancellation_fee(a / 100.0, (private.fees(a / 100.0)).total,
         $3::timestamptz + l * interval '1 millisecond', $3) as fee
       from unnest($1::int[], $2::bigint[]) as c (a, l)`,
      [cases.map((c) => c[0]), cases.map((c) => c[1]), at],
    )
    for (const row of rows) {
      expect(fromNumeric(row.fee)).toBe(cancellationFee(row.a, new Date(at.getTime() + row.left), at))
    }
    const none = await owner(db)('select private.cancellation_fee(25, 30, null, $1) as fee', [at])
    expect(fromNumeric(none.rows[0].fee)).toBe(cancellationFee(cents(2500), null, at))
    const little = await owner(db)('select private.cancellation_fee(3, 3.60, null, $1) as fee', [at])
    expect(fromNumeric(little.rows[0].fee)).toBe(360)
    expect(cancellationFee(cents(300), null, at)).toBe(360)
  })
})

describe('every end of a paid booking, at every boundary of the schedule', () => {
  const amounts = [25, 25.01, 33.33, 99.99, 100, 1234.56, 100_000]
  const boundaries: [string | null, number | null][] = [
    ['-3 hours', 50],
    ['0 hours', 50],
    ['59 minutes 50 seconds', 50],
    ['1 hour 10 seconds', 25],
    ['23 hours 59 minutes 50 seconds', 25],
    ['24 hours 10 seconds', null],
    ['30 days', null],
    [null, null],
  ]

  for (const amount of amounts) {
    it(`of $${amount}`, async () => {
      const whole = fees(fromDollars(amount))
      for (const [scheduled, percent] of boundaries) {
        const booking = await bookingAt(db, 'in_progress', { amount, scheduled })
        const fee = percent ? share(fromDollars(amount), percent) : cents(500)
        const kept = fees(fee)
        expect(await cancel(db, booking, cast.grace)).toMatchObject({
          fee_cents: fee,
          refund_cents: whole.total - fee,
        })
        await settleWithProvider(db, booking)
        expect(await balances(db, booking)).toEqual({
          provider: whole.total - (whole.total - fee) - kept.payout,
          platform_fees: -kept.platformFee,
          gst: -kept.gst,
        })
      }

      const byTasker = await bookingAt(db, 'in_progress', { amount, scheduled: '30 minutes' })
      expect(await cancel(db, byTasker, cast.theo)).toMatchObject({ fee_cents: 0, refund_cents: whole.total })
      await settleWithProvider(db, byTasker)
      expect(await balances(db, byTasker)).toEqual({})
      expect(await paymentOf(db, byTasker)).toMatchObject({
        escrow_status: 'refunded',
        payout_status: 'none',
      })

      const released = await bookingAt(db, 'released', { amount })
      await settleWithProvider(db, released)
      expect(await balances(db, released)).toEqual({
        provider: whole.total - whole.payout,
        platform_fees: -2 * whole.platformFee,
        gst: -2 * whole.gst,
      })
    })
  }
})

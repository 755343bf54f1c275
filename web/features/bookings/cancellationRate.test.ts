// The rule that the dialog states is the one by which the fee is charged, at each boundary of the schedule.
import { expect, test } from 'vitest'
import { cancellationFee } from '../../../shared/fees.ts'
import { cents } from '../../../shared/money.ts'
import { feeRule, increaseFee, nextStep } from './cancellationRate.ts'

const HOUR_MS = 3_600_000
const now = new Date('2026-01-15T18:00:00.000Z')
const inHours = (hours: number) => new Date(now.getTime() + hours * HOUR_MS).toISOString()

test.each([
  [null, 'flat', 500],
  [48, 'flat', 500],
  [24, 'flat', 500],
  [23.99, 'late', 2500],
  [1, 'late', 2500],
  [0.99, 'latest', 5000],
  [-1, 'latest', 5000],
] as const)(
  '%s hours before the task the rule is %s, and the fee of 100 dollars is %s cents',
  (hours, rule, fee) => {
    const scheduled = hours === null ? null : inHours(hours)
    expect(feeRule(scheduled, now)).toBe(`bookings.feeRule.${rule}`)
    expect(increaseFee(cents(10_000), scheduled, now)).toBe(rule === 'flat' ? 0 : fee)
    expect(cancellationFee(cents(10_000), scheduled === null ? null : new Date(scheduled), now)).toBe(fee)
  },
)

test.each([
  [48, { at: inHours(24), rate: 'late' }],
  [5, { at: inHours(4), rate: 'latest' }],
  [0.5, null],
] as const)('%s hours before the task the fee rises next as %j says', (hours, next) => {
  const found = nextStep(inHours(hours), now)
  expect(found && { ...found, at: found.at.toISOString() }).toEqual(next)
})

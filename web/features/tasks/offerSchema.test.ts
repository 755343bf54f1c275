// The rules of an offer: a row that is not shown does not count, and no two prices are the same.
import { expect, test } from 'vitest'
import { EMPTY_OFFER, offerSchema, optionsFrom, type Row } from './offerSchema.ts'

const good = { ...EMPTY_OFFER, amount1: '80', offer_reason: ' Two hours more. ' }
const failure = (rows: Row, change: Partial<typeof good>) => {
  const issue = offerSchema(rows, 'America/Regina').safeParse({ ...good, ...change }).error?.issues[0]
  return issue && [issue.path[0], issue.message]
}

test('prices and times are read, the others left out', () => {
  const offer = offerSchema(2, 'America/Regina').parse({
    ...good,
    amount2: '79.99',
    at2: '2099-07-01T09:30',
    amount3: '90',
  })
  expect(offer.offer_reason).toBe('Two hours more.')
  expect(optionsFrom(offer)).toEqual([
    { amount: 80, starts_at: null },
    { amount: 79.99, starts_at: '2099-07-01T15:30:00.000Z' },
  ])
})

test.each([
  [1, { amount1: ' ' }, 'amount1', 'applying.offer.amountMissing'],
  [1, { amount1: '0' }, 'amount1', 'tasks.payNotPositive'],
  [1, { amount1: '24.99' }, 'amount1', 'tasks.payTooLow'],
  [1, { amount1: '100000.01' }, 'amount1', 'tasks.payTooHigh'],
  [1, { amount1: '80.005' }, 'amount1', 'tasks.payFractions'],
  [1, { at1: '2020-01-01T09:00' }, 'at1', 'tasks.datePast'],
  [2, { amount2: '' }, 'amount2', 'applying.offer.amountMissing'],
  [2, { amount2: '80.00' }, 'amount2', 'applying.offer.same'],
  [3, { amount2: '70', amount3: '70' }, 'amount3', 'applying.offer.same'],
  [1, { offer_reason: '  ' }, 'offer_reason', 'applying.offer.reasonRequired'],
  [1, { message: 'x'.repeat(1001) }, 'message', 'tasks.messageTooLong'],
  [1, { offer_reason: 'x'.repeat(501) }, 'offer_reason', 'applying.offer.reasonTooLong'],
] as const)('with %s rows and %o it fails', (rows, change, field, message) => {
  expect(failure(rows, change)).toEqual([field, message])
})

test('a row that is not shown may say anything', () => {
  expect(failure(1, { amount2: '80', amount3: '1' })).toBeUndefined()
})

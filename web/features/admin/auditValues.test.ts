// Audit log entries in words.
import i18next from 'i18next'
import { beforeAll, expect, test } from 'vitest'
import { startI18n } from '../../i18n/index.ts'
import { changesOf, detailsOf } from './auditValues.ts'

const UNKNOWN_ID = '4c7b0d3e-1111-4222-8333-944445555666'

beforeAll(() => startI18n('en'))

type Values = Record<string, unknown> | null
const lines = (before: Values, after: Values) =>
  changesOf({ before, after }, i18next.t).map(
    (change) => `${change.label}: ${change.before} → ${change.after}`,
  )
const details = (before: Values, after: Values, people: { id: string; name: string }[] = []) =>
  detailsOf({ before, after, people }, i18next.t).map(
    ({ label, before, after }) => `${label}: ${before} → ${after}`,
  )

test('changes are shown with old and new value, in words and as money; the rest apart, in words, too', () => {
  const before = { refund_status: 'queued', refunded_amount: 0, stripe_refund_id: null, refunded_at: null }
  const refunded_at = '2026-11-27T19:03:14.123456+00:00'
  const after = { refund_status: 'sent', refunded_amount: 120, stripe_refund_id: 're_1', refunded_at }
  expect(lines(before, after)).toEqual(['Refund: On its way → Sent', 'Refunded: $0.00 → $120.00'])
  expect(details(before, after)).toEqual([
    'Refunded: – → Fri, Nov 27, 1:03 p.m.',
    'Refund at the payment provider: – → re_1',
  ])
})

test('the rest has labels, amounts as money, lists by their entries and flags as yes or no', () => {
  const payment = {
    created_at: '2026-11-27T19:03:14+00:00',
    platform_fee: 15,
    gst: 5,
    currency: 'cad',
    reminders: 2,
    settled_loss: 0,
    open_disputes: 1,
    closed_intents: ['pi_1', 'pi_2'],
  }
  expect(details(null, payment)).toEqual([
    'Entered: – → Fri, Nov 27, 1:03 p.m.',
    'Platform fee (15%): – → $15.00',
    'GST (5%): – → $5.00',
    'Currency: – → CAD',
    'Reminders sent: – → 2',
    'Open chargebacks: – → 1',
    'Earlier attempts to pay: – → pi_1, pi_2',
  ])
  expect(details({ suppressed: true }, { suppressed: false })).toEqual(['Emails stopped: Yes → No'])
  expect(
    details(null, { photos: ['a/1.jpg', 'a/2.jpg'], terms_accepted: true, id_type: 'passport' }),
  ).toEqual(['Government ID type: – → Passport', 'Terms of Service accepted: – → Yes', 'Photos: – → 2'])
})

test.each([
  [
    { verification_status: 'pending' },
    { verification_status: 'verified' },
    ['Verification: Waiting for a decision → Approved'],
  ],
  [{ refund_status: 'none' }, { refund_status: 'queued' }, ['Refund: null → On its way']],
  [{ hidden_for: null }, { hidden_for: 'report' }, ['Hidden: No → Yes']],
  [{ verification_notes: null }, { verification_notes: 'Seen.' }, ['Notes: null → Seen.']],
  [
    { decision: null, decision_note: null },
    { decision: 'split', decision_note: 'Half.' },
    ['Decision: null → Split', 'Reason for the decision: null → Half.'],
  ],
  [{ lifted_at: null }, { lifted_at: '2026-11-23T18:00:00Z' }, ['Suspension lifted: No → Yes']],
  [{ status: 'open' }, { status: 'hidden' }, ['State: To decide → Hidden']],
  // A word of tomorrow's schema is shown as it is.
  [{ refund_status: 'sent' }, { refund_status: 'parked' }, ['Refund: Sent → parked']],
])('%o → %o', (before, after, words) => {
  expect(lines(before, after)).toEqual(words)
})

test('a new or a removed row says what it holds, and no empty values', () => {
  const payment = {
    id: 'p',
    amount: 100,
    total: 120,
    refund_amount: 0,
    payout_status: 'none',
    escrow_status: 'pending',
    closed_refunds: [],
  }
  expect(lines(null, payment)).toEqual([
    'Payment: null → Not paid yet',
    'Task amount: null → $100.00',
    'Total with fees: null → $120.00',
  ])
  expect(details(null, payment)).toEqual([])
  expect(lines({ role: 'task_giver', user_id: 'u' }, null)).toEqual(['Role: Task giver → null'])
})

test('people are written by their names, and other rows not by their ids', () => {
  const [theo, ada, booking] = [1, 2, 3].map((n) => `${n}c7b0d3e-1111-4222-8333-944445555666`)
  const after = { user_id: theo, decided_by: ada, booking_id: booking, lifted_by: booking }
  const people = [
    { id: theo as string, name: 'Theo' },
    { id: ada as string, name: 'Ada' },
  ]
  expect(details(null, after, people)).toEqual(['Person: – → Theo', 'Decided by: – → Ada'])
})

test('a column of a later version is called by its own words, its times and flags are read all the same', () => {
  const after = {
    seen_at: '2026-11-27T19:03:14+00:00',
    is_parked: true,
    parking_note: 'x',
    place_id: UNKNOWN_ID,
  }
  expect(details(null, after)).toEqual([
    'Seen at: – → Fri, Nov 27, 1:03 p.m.',
    'Is parked: – → Yes',
    'Parking note: – → x',
  ])
})

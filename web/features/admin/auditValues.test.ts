// What an entry of the audit log says in words.
import { createInstance } from 'i18next'
import { expect, test } from 'vitest'
import { english } from '../../i18n/en/index.ts'
import { changesOf, technicalValues } from './auditValues.ts'

const i18n = createInstance()
await i18n.init({
  lng: 'en',
  resources: { en: { translation: english } },
  interpolation: { escapeValue: false },
})
const lines = (before: Record<string, unknown> | null, after: Record<string, unknown> | null) =>
  changesOf({ before, after }, i18n.t).map((change) => `${change.label}: ${change.before} → ${change.after}`)

test('what changed, from what to what, in words and as money; the rest apart', () => {
  const before = { refund_status: 'queued', refunded_amount: 0, stripe_refund_id: null, refunded_at: null }
  const after = { refund_status: 'sent', refunded_amount: 120, stripe_refund_id: 're_1', refunded_at: 'now' }
  expect(lines(before, after)).toEqual(['Refund: On its way → Sent', 'Refunded: $0.00 → $120.00'])
  expect(technicalValues({ before, after })).toEqual([
    { column: 'stripe_refund_id', before: '–', after: 're_1' },
    { column: 'refunded_at', before: '–', after: 'now' },
  ])
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
  // A word of tomorrow's schema stands as it is.
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
  expect(technicalValues({ before: null, after: payment })).toEqual([])
  expect(lines({ role: 'task_giver', user_id: 'u' }, null)).toEqual(['Role: Task giver → null'])
})

test('people are written by their names, and other rows not by their ids', () => {
  const [theo, booking] = ['0c7b0d3e-1111-4222-8333-944445555666', '1c7b0d3e-1111-4222-8333-944445555666']
  const after = { user_id: theo, booking_id: booking, note: 'x' }
  const people = [{ id: theo, name: 'Theo' }]
  expect(technicalValues({ before: null, after, people })).toEqual([
    { column: 'user_id', before: '–', after: 'Theo' },
    { column: 'note', before: '–', after: 'x' },
  ])
})

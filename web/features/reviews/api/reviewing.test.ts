// Until when a booking can be reviewed: from its completion on or, where somebody complained, from the decision.
import { afterEach, expect, test, vi } from 'vitest'
import { reviewing } from './queries.ts'

const booking = {
  id: 'b',
  status: 'completed',
  completed_at: '2026-11-01T12:00:00Z',
  complaint: null,
  task_giver_id: 'grace',
  task_doer_id: 'theo',
  doer: { full_name: 'Theo' },
  task: { scheduled_date: null as string | null, duration_minutes: null, giver: { full_name: 'Grace' } },
  reviews: [],
}
afterEach(() => void vi.useRealTimers())

test('the time to review runs from the completion, or from the decision on a complaint', () => {
  vi.useFakeTimers({ now: new Date('2026-11-20T12:00:00Z') })
  expect(reviewing(booking, 'giver')).toMatchObject({ until: '2026-11-15T12:00:00.000Z', open: false })
  const early = { ...booking, task: { ...booking.task, scheduled_date: '2026-11-08T12:00:00Z' } }
  expect(reviewing(early, 'giver')).toMatchObject({ until: '2026-11-22T12:00:00.000Z', open: true })
  const complained = { ...booking, complaint: { decided_at: null } }
  expect(reviewing(complained, 'giver')).toMatchObject({ until: null, open: false, complained: true })
  const decided = { ...booking, complaint: { decided_at: '2026-11-19T12:00:00Z' } }
  expect(reviewing(decided, 'giver')).toMatchObject({
    until: '2026-12-03T12:00:00.000Z',
    open: true,
    complained: false,
  })
})

// When a schedule of pg_cron's is due, in UTC.
import { expect, it } from 'vitest'
import { isDue } from '../../../extensions/cron.ts'

it.each([
  ['* * * * *', '2026-11-21T07:30:00Z', true],
  ['* * * * *', '2026-11-21T07:30:01Z', false],
  ['*/10 9-17 * * 1-5', '2026-11-20T09:50:00Z', true],
  ['*/10 9-17 * * 1-5', '2026-11-21T09:50:00Z', false],
  ['0 3 * * sat', '2026-11-21T03:00:00Z', true],
  ['0 3 1 JAN *', '2027-01-01T03:00:00Z', true],
  ['0 0 $ * *', '2028-02-29T00:00:00Z', true],
  ['0 0 $ * *', '2028-02-28T00:00:00Z', false],
  ['@daily', '2026-11-21T00:00:00Z', true],
  ['@hourly', '2026-11-21T05:01:00Z', false],
  ['30 seconds', '2026-11-21T05:01:30Z', true],
  ['30 seconds', '2026-11-21T05:01:31Z', false],
])('%s at %s: %s', (schedule, moment, due) => {
  expect(isDue(schedule, new Date(moment))).toBe(due)
})

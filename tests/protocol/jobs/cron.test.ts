// When a schedule of pg_cron's is due, in UTC; by which clock; and through a connection that breaks.

import { isDue, startCron } from '@meadowlark/server/extensions/cron.ts'
import pino from 'pino'
import { expect, it, vi } from 'vitest'
import { startTestServer } from '../../support/server.ts'

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

it('goes by the clock of the database: one that was set ahead, and put right, does not stop it', async () => {
  const server = await startTestServer()
  const { pool } = server.database
  const runs = async () =>
    (
      await pool.query(`select count(*)::int, max(due) < now() + interval '1 minute' as on_time
      from cron.job_run_details join cron.taken using (jobid) where command = 'select 1'`)
    ).rows[0]
  try {
    await pool.query(`select cron.schedule('often', '1 second', 'select 1')`)
    await expect.poll(runs).toMatchObject({ on_time: true })
    const now = Date.now.bind(Date)
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now() + 3_600_000)
    const before = (await runs()).count
    await expect.poll(async () => (await runs()).count).toBeGreaterThan(before + 2)
    clock.mockRestore()
    expect((await runs()).on_time).toBe(true)
    // As the machine's own clock would have left it, which is PostgreSQL's, too.
    await pool.query(`update cron.taken set due = due + interval '1 hour'`)
    const after = (await runs()).count
    await expect.poll(async () => (await runs()).count).toBeGreaterThan(after + 1)
    expect((await runs()).on_time).toBe(true)
  } finally {
    await server.stop()
  }
})

it('asks again the second after a connection broke, and not when the minute is over', async () => {
  vi.useFakeTimers({
    now: new Date('2026-11-21T07:30:05Z'),
    toFake: ['Date', 'setInterval', 'clearInterval'],
  })
  const asked: string[] = []
  let breaks = false
  const pool = {
    async query(text: string) {
      if (text.includes('to_regclass')) return { rows: [{ there: true, now: new Date() }] }
      if (text.includes('cron.taken')) return { rowCount: 0, rows: [] }
      asked.push(new Date().toISOString().slice(17, 19))
      if (breaks) throw new Error('Connection terminated unexpectedly')
      return { rows: [{ jobid: '1', schedule: '2 seconds', command: 'select 1', username: 'postgres' }] }
    },
  }
  const database = { url: 'postgresql://127.0.0.1:1/nowhere', pool: pool as never }
  const cron = startCron({ database, connections: 1 }, pino({ level: 'silent' }))
  try {
    await vi.advanceTimersByTimeAsync(1000)
    breaks = true
    await vi.advanceTimersByTimeAsync(1000)
    breaks = false
    await vi.advanceTimersByTimeAsync(2000)
    expect(asked).toEqual(['06', '07', '08', '09'])
  } finally {
    vi.useRealTimers()
    await cron.stop()
  }
})

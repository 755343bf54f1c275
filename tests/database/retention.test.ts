// Data that is deleted after its time, a little at once, and data that is not.
import { expect, it } from 'vitest'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()
const sql = async (text: string, values?: unknown[]) => (await owner(db)(text, values)).rows

const forget = async (rows = 5000) =>
  (await sql('select private.forget_old_rows($1) as done', [rows]))[0].done

it('events of the payment provider are forgotten after 90 days, those to be looked at after two years', async () => {
  const event = (id: string, age: string, note: string | null) =>
    sql(
      `insert into public.stripe_events (id, type, payload, note, received_at)
       values ($1, 'payout.paid', '{}', $2, now() - $3::interval)`,
      [id, note, age],
    )
  await event('evt_89', '89 days', null)
  await event('evt_91', '91 days', null)
  await event('evt_noted', '700 days', 'a transfer was reversed')
  await event('evt_long_noted', '800 days', 'a transfer was reversed')
  expect(await forget()).toBe(2)
  expect(await sql('select id from public.stripe_events order by id')).toEqual([
    { id: 'evt_89' },
    { id: 'evt_noted' },
  ])
})

it('notifications are forgotten a year after, unread ones after two', async () => {
  await sql('delete from public.notifications')
  const notice = (title: string, age: string, read: boolean) =>
    sql(
      `insert into public.notifications (user_id, title, message, key, read, created_at)
       values ($1, $2, '', 'welcome', $3, now() - $4::interval)`,
      [cast.grace, title, read, age],
    )
  await notice('read', '364 days', true)
  await notice('read long ago', '366 days', true)
  await notice('unread', '700 days', false)
  await notice('unread long ago', '800 days', false)
  expect(await forget()).toBe(2)
  const { rows } = await as(db, 'grace')('select title from public.notifications order by title')
  expect(rows).toEqual([{ title: 'read' }, { title: 'unread' }])
})

it('a little at once, by the clock, and nothing of the ledger, of receipts or of the audit log', async () => {
  await sql(`insert into public.stripe_events (id, type, payload, received_at)
    select 'evt_old_' || n, 'payout.paid', '{}', now() - interval '1 year' from generate_series(1, 25) n`)
  expect([await forget(10), await forget(10), await forget(10), await forget(10)]).toEqual([10, 10, 5, 0])
  const [job] = await sql(`select command, active from cron.job where jobname = 'forget-old-rows'`)
  expect(job).toEqual({ command: 'select private.forget_old_rows()', active: true })
  const [{ body }] = await sql(`select prosrc as body from pg_proc where proname = 'forget_old_rows'`)
  expect([...new Set(body.match(/(?:public|private|auth)\.\w+/g))].sort()).toEqual([
    'public.notifications',
    'public.stripe_events',
  ])
})

// Limits on how often a person creates and changes things, at their boundaries: by row, for concurrent requests, for new and
// established accounts, and who is exempt.
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, it } from 'vitest'
import { newBrowser } from '../support/browser.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { apply, bookingAt, cancel, list, move, postTask, tryInsert } from './lives.ts'
import { as, asService, cast, enterCast, owner, signUp } from './personas.ts'
import { subscribe } from './subscriptions.ts'

const db = {} as TestDatabase
beforeEach(async () => {
  const fresh = await createTestDatabase()
  Object.assign(db, fresh)
  await enterCast(db)
  return () => fresh.drop()
})

const sql = async (text: string, values: unknown[] = []) => (await owner(db)(text, values)).rows
const setLimit = (action: string, limits: string) =>
  sql(`update private.activity_limits set ${limits} where action = $1`, [action])
const grow = (person: string, days: number) =>
  sql(`update private.profiles set created_at = now() - $2 * interval '1 day' where id = $1`, [person, days])
/** Moves all counts into the past. */
const pass = (interval: string) =>
  sql(
    'update private.activity_counts set hour_began = hour_began - $1::interval, day_began = day_began - $1::interval',
    [interval],
  )
const count = async (table: string) => Number((await sql(`select count(*) from ${table}`))[0].count)
/** The error that `act` ends in. */
const failure = async (act: Promise<unknown>): Promise<{ code: string; message: string; detail?: string }> =>
  act.then(
    () => ({ code: '', message: '' }),
    (error) => error,
  )

const TASKS = `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount)
  select auth.uid(), 'Clear the driveway', 'Two cars wide, and the walk to the door.', 'Snow Removal', 'Saskatoon', 50
  from generate_series(1, $1::int)`
const post = (person: string, tasks: number) => as(db, person)(TASKS, [tasks])
const ask = (tasker: string) =>
  as(db, 'grace')(
    `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, asked_tasker_id)
     values ($1, 'Clear the driveway', 'Two cars wide, and the walk to the door.', 'Snow Removal', 'Saskatoon', 50, $2)
     returning id`,
    [cast.grace, tasker],
  )

describe('tasks', () => {
  it('of a new account are limited row by row, also in one request', async () => {
    await post('grace', 10)
    const { code, message, detail } = await failure(post('grace', 1000))
    expect(code).toBe('PT429')
    expect(message).toBe('A new account can do this 15 times an hour. Please try again in 60 min.')
    const minutes = Number(/in (\d+) min/.exec(message)?.[1])
    expect(JSON.parse(detail ?? '')).toEqual({
      code: 'activity.new_account_hourly_limit',
      params: { limit: 15, minutes, again_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/) },
    })
    expect(await count('public.tasks')).toBe(10)
    await post('grace', 5)
    await pass('1 hour')
    await post('grace', 10)
    expect((await failure(post('grace', 1))).message).toBe(
      'A new account can do this 25 times a day. Please try again in 23 h.',
    )
    expect(await count('public.tasks')).toBe(25)
  })

  it('that are posted at the same moment are counted one after the other', async () => {
    const answers = await Promise.all(Array.from({ length: 40 }, () => failure(post('grace', 1))))
    expect(answers.filter(({ code }) => code === '')).toHaveLength(15)
    expect(answers.filter(({ code }) => code === 'PT429')).toHaveLength(25)
    expect(await count('public.tasks')).toBe(15)
  })

  it('of an account of some days may be more, and so many at the same time', async () => {
    await grow(cast.grace, 4)
    await post('grace', 30)
    expect((await failure(post('grace', 1))).message).toBe(
      'This can be done 30 times an hour. Please try again in 60 min.',
    )
    await setLimit('tasks_posted', 'at_once = 31')
    await pass('2 hours')
    await post('grace', 1)
    expect((await failure(post('grace', 1))).message).toBe(
      'You can have 31 of these at the same time. Please close or remove one first.',
    )
    await as(
      db,
      'grace',
    )(`update public.tasks set status = 'cancelled' where id = (select id from public.tasks limit 1)`)
    await post('grace', 1)
  })

  it('of admins, the service and whoever an operator lets are not limited', async () => {
    await post('ada', 120)
    await asService(db)(TASKS.replace('auth.uid()', `'${cast.sam}'`), [120])
    await sql(`delete from private.activity_limits where action = 'tasks_posted'`)
    await post('grace', 120)
    expect(await count('public.tasks')).toBe(360)
  })

  it('are changed so many times, one of them fewer; a refused change counts for nothing', async () => {
    const task = await postTask(db)
    const price = (amount: number) =>
      failure(as(db, 'grace')('update public.tasks set pay_amount = $2 where id = $1', [task, amount]))
    for (let nth = 0; nth < 12; nth++) expect((await price(10)).message).toMatch(/at least/)
    for (let nth = 0; nth < 10; nth++) expect((await price(50 + nth)).code).toBe('')
    expect((await price(70)).message).toMatch(/^A new account can do this 10 times an hour/)
    await setLimit(
      'same_task_changed',
      'new_per_hour = null, new_per_day = null, per_hour = null, per_day = null',
    )
    for (let nth = 0; nth < 20; nth++) expect((await price(80 + nth)).code).toBe('')
    expect((await price(30)).message).toMatch(/^A new account can do this 30 times an hour/)
    const move = (street: number) =>
      failure(
        as(db, 'grace')(
          `insert into public.task_addresses (task_id, address) values ($1, $2)
           on conflict (task_id) do update set address = excluded.address`,
          [task, `Temperance Street ${street}`],
        ),
      )
    for (let nth = 0; nth < 30; nth++) expect((await move(nth)).code).toBe('')
    expect((await move(30)).message).toMatch(/^A new account can do this 30 times an hour/)
  })
})

it('one tasker is asked so many times, and withdrawing gives nothing back', async () => {
  await list(db)
  for (let nth = 0; nth < 3; nth++) {
    const { rows } = await ask(cast.theo)
    await as(db, 'grace')(`update public.tasks set status = 'cancelled' where id = $1`, [rows[0].id])
  }
  expect((await failure(ask(cast.theo))).message).toMatch(/^A new account can do this 3 times an hour/)
  await grow(cast.grace, 9)
  await ask(cast.theo)
  await ask(cast.theo)
  expect((await failure(ask(cast.theo))).message).toMatch(/^This can be done 5 times an hour/)
  await setLimit('same_tasker_asked', 'per_hour = null, per_day = null')
  for (let nth = 0; nth < 10; nth++) await ask(cast.theo)
  expect((await failure(ask(cast.theo))).message).toMatch(/^This can be done 15 times an hour/)
})

it('a tasker applies to one task so many times, and to all', async () => {
  const task = await postTask(db)
  for (let nth = 0; nth < 3; nth++) await cancel(db, await apply(db, task), cast.theo)
  expect((await failure(apply(db, task))).message).toMatch(/^A new account can do this 3 times an hour/)
  const tasks = await Promise.all(Array.from({ length: 13 }, () => postTask(db)))
  for (const other of tasks.slice(0, 12)) await apply(db, other)
  expect((await failure(apply(db, tasks[12] as string))).message).toMatch(
    /^A new account can do this 15 times an hour/,
  )
})

it('a giver answers one application so many times; who is passed over counts for nothing', async () => {
  const booking = await bookingAt(db, 'pending')
  for (let nth = 0; nth < 3; nth++) {
    await move(db, booking, cast.grace, 'rejected')
    await move(db, booking, cast.grace, 'pending')
  }
  expect((await failure(move(db, booking, cast.grace, 'accepted'))).message).toMatch(
    /^A new account can do this 6 times an hour/,
  )
  expect((await failure(cancel(db, booking, cast.grace))).message).toMatch(/6 times an hour/)
  const counted = await sql(
    `select sum(hour_count)::int as count from private.activity_counts where action = 'applications_answered'`,
  )
  expect(counted).toEqual([{ count: 6 }])
})

it('messages, saved taskers, reports, settings and profiles have a limit each', async () => {
  const once = (actions: string[]) =>
    sql('update private.activity_limits set new_per_hour = 1 where action = any ($1)', [actions])
  await once(['messages_sent', 'taskers_saved', 'reports_made', 'settings_changes', 'profile_changes'])
  const booking = await bookingAt(db, 'accepted')
  const message = { booking_id: booking.id, sender_id: cast.grace, receiver_id: cast.theo, message: 'Hello' }
  const limited = /^A new account can do this 1 times an hour/
  expect(await tryInsert(db, 'grace', 'messages', message)).toBeNull()
  expect(await tryInsert(db, 'grace', 'messages', message)).toMatch(limited)
  const saved = { user_id: cast.grace, tasker_id: cast.theo }
  expect(await tryInsert(db, 'grace', 'favourites', saved)).toBeNull()
  await as(db, 'grace')('delete from public.favourites')
  expect(await tryInsert(db, 'grace', 'favourites', saved)).toMatch(limited)
  const reason = 'This is not what was agreed.'
  const report = (id: string) =>
    failure(as(db, 'grace')(`select public.report_content('profile', $1, $2)`, [id, reason]))
  expect((await report(cast.theo)).code).toBe('')
  const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
  await list(db, una)
  expect((await report(una)).message).toMatch(limited)
  const quiet = { user_id: cast.grace, starts: '22:00', ends: '07:00' }
  expect(await tryInsert(db, 'grace', 'quiet_hours', quiet)).toBeNull()
  expect(
    await tryInsert(db, 'grace', 'notification_preferences', { user_id: cast.grace, kind: 'messages' }),
  ).toMatch(limited)
  const profile = (change: string) =>
    failure(as(db, 'grace')(`update public.profiles set ${change} where id = auth.uid()`))
  for (let nth = 0; nth < 3; nth++) expect((await profile('last_active = now()')).code).toBe('')
  expect((await profile(`bio = 'I have a long drive.'`)).code).toBe('')
  expect((await profile(`bio = 'I have two.'`)).message).toMatch(limited)
})

it('cards, payout accounts, browsers, exports and verifications have a limit each', async () => {
  await sql('update private.activity_limits set new_at_once = 2 where action = $1', ['cards_saved'])
  const card = () => ({ user_id: cast.grace, stripe_payment_method_id: `pm_${randomUUID().slice(0, 8)}` })
  for (let nth = 0; nth < 2; nth++) expect(await tryInsert(db, 'grace', 'payment_methods', card())).toBeNull()
  expect(await tryInsert(db, 'grace', 'payment_methods', card())).toMatch(/^You can have 2 of these/)
  await sql(`update private.activity_limits set per_hour = 1 where action = any ($1)`, [
    ['payout_account_changes', 'browsers_subscribed', 'exports_requested', 'verifications_submitted'],
  ])
  const limited = /^A new account can do this 1 times an hour/
  const bank = () =>
    failure(
      as(db, 'theo')(`update public.payout_accounts set bank_last4 = '1111' where user_id = auth.uid()`),
    )
  expect(
    await tryInsert(db, 'theo', 'payout_accounts', { user_id: cast.theo, bank_last4: '1234' }),
  ).toBeNull()
  expect((await bank()).message).toMatch(limited)
  const browser = await subscribe(db, 'theo', newBrowser())
  for (let nth = 0; nth < 3; nth++) await subscribe(db, 'theo', browser)
  expect((await failure(subscribe(db, 'theo', newBrowser()))).message).toMatch(limited)
  const request = () => failure(as(db, 'theo')('select public.request_data_export()'))
  expect((await request()).code).toBe('')
  await sql(`update public.data_exports set status = 'failed'`)
  expect((await request()).message).toMatch(limited)
  const submission = { terms_accepted: true, privacy_accepted: true, legal_name: 'Theo', id_type: 'passport' }
  const verify = () =>
    tryInsert(db, 'theo', 'verifications', { user_id: cast.theo, date_of_birth: '1990-01-01', ...submission })
  expect(await verify()).toBeNull()
  await sql('delete from public.verifications')
  expect(await verify()).toMatch(limited)
})

it('favourites saved at the same moment stop at 500', async () => {
  await sql(`update private.activity_limits set new_per_hour = null, per_hour = null`)
  await sql(`update private.activity_limits set new_per_day = null, per_day = null`)
  await sql(
    `insert into auth.users (id, email, encrypted_password, raw_user_meta_data)
     select gen_random_uuid(), 'theo' || n || '@example.com', 'x', '{"full_name": "Theo Other", "role": "task_doer"}'
     from generate_series(1, 510) n`,
  )
  const taskers = await sql(
    `update private.profiles set id_verified = true where full_name = 'Theo Other' returning id`,
  )
  await sql(`insert into public.favourites (user_id, tasker_id) select $1, id from unnest($2::uuid[]) id`, [
    cast.grace,
    taskers.slice(0, 495).map(({ id }) => id),
  ])
  await Promise.all(
    taskers
      .slice(495)
      .map(({ id }) => tryInsert(db, 'grace', 'favourites', { user_id: cast.grace, tasker_id: id })),
  )
  expect(await count('public.favourites')).toBe(500)
})

it('docs/security.md has a row for every limit and quota', async () => {
  const text = readFileSync(new URL('../../docs/security.md', import.meta.url), 'utf8')
  const names = await sql(
    'select action as name from private.activity_limits union all select bucket_id from private.storage_quotas',
  )
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter(({ name }) => !text.includes(`\`${name}\``))).toEqual([])
})

it('counts are deleted after a day, and with their person', async () => {
  await post('grace', 1)
  await post('sam', 1)
  await pass('25 hours')
  await post('sam', 1)
  const [job] = await sql(`select command from cron.job where jobname = 'forget-activity'`)
  await sql(job.command)
  expect(await sql('select person_id, day_count from private.activity_counts')).toEqual([
    { person_id: cast.sam, day_count: 1 },
  ])
  await sql('delete from auth.users where id = $1', [cast.sam])
  expect(await count('private.activity_counts')).toBe(0)
})

it('answers to two applications for one task at the same moment do not deadlock', async () => {
  for (let nth = 0; nth < 6; nth++) {
    const una = await signUp(db, { name: `Una${nth} Tasker`, role: 'task_doer' })
    const task = await postTask(db)
    const [first, second] = [await apply(db, task), await apply(db, task, una)]
    const answers = await Promise.all([
      failure(move(db, first, cast.grace, 'accepted')),
      failure(move(db, second, cast.grace, nth % 2 ? 'accepted' : 'rejected')),
      failure(as(db, 'grace')(`update public.tasks set pay_amount = pay_amount + 1 where id = $1`, [task])),
    ])
    expect(answers.filter(({ code }) => code === '40P01')).toEqual([])
  }
})

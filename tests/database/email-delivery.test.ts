// The queue of e-mails: nothing is lost or sent twice, tries that fail come again and end, who left is sent nothing.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { bookingAt, move, pay, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'
import { confirmAddresses, mailed, pass, subjects, take } from './sent-emails.ts'

const db = databaseWithCast()
beforeAll(() => confirmAddresses(db))
beforeEach(async () => {
  await mailed(db)
})

const notify = (person: string, key: string, params: object, link = '/dashboard') =>
  owner(db)('select private.notify_person($1, $2, $3, $4)', [person, key, JSON.stringify(params), link])
const approved = (person: string) => notify(person, 'verification_approved', {})
const finish = (id?: string) => asService(db)('select public.finish_email($1)', [id])
const fail = (id: string | undefined, reason: string) =>
  asService(db)('select public.fail_email($1, $2, $3)', [id, reason, 'Mailbox of [recipient] is full'])
const emailOf = async (id?: string) =>
  (
    await owner(db)(
      'select *, round(extract(epoch from next_try_at - now()) / 60)::int as minutes from private.emails where id = $1',
      [id],
    )
  ).rows[0]
const people = (emails: { to: string }[]) => emails.map(({ to }) => to.split('@')[0]).sort()

describe('an e-mail', () => {
  it('waits two minutes for others, and the job that wakes its sender waits with it', async () => {
    await approved(cast.theo)
    expect(await take(db)).toEqual([])
    const { rows } = await owner(db)(
      `select vt >= now() + interval '1 minute' as later from pgmq.q_effects
       where message ->> 'function' = 'send-emails' order by msg_id desc limit 1`,
    )
    expect(rows).toEqual([{ later: true }])
    await pass(db, '1 minute')
    await notify(cast.theo, 'badge_removed', {})
    await pass(db, '1 minute')
    expect((await take(db)).map(({ events }) => events.map(({ key }) => key))).toEqual([
      ['verification_approved', 'badge_removed'],
    ])
  })

  it('is handed out once, to however many ask at once', async () => {
    for (const person of [cast.grace, cast.theo, cast.sam]) await approved(person)
    await pass(db, '2 minutes')
    const taken = await Promise.all(Array.from({ length: 4 }, () => take(db, 2)))
    taken.push(await take(db))
    expect(people(taken.flat())).toEqual(['grace', 'sam', 'theo'])
    expect(new Set(taken.flat().map(({ id }) => id)).size).toBe(3)
  })

  it('that nobody reported on is handed out again with the same id, and not once it was', async () => {
    await approved(cast.theo)
    await pass(db, '2 minutes')
    const [first] = await take(db)
    expect(await take(db)).toEqual([])
    await pass(db, '10 minutes')
    const [second] = await take(db)
    expect(second).toEqual(first)
    await finish(second?.id)
    await finish(second?.id)
    await pass(db, '1 day')
    expect(await take(db)).toEqual([])
    const { rows } = await owner(db)(
      `select from pgmq.q_effects where message ->> 'function' = 'send-emails' and message ->> 'key' = 'send-emails-taken'`,
    )
    expect(rows).toHaveLength(1)
  })

  it('that is put off comes again with growing pauses, and is given up after ten tries, with a notification to admins', async () => {
    await approved(cast.theo)
    await pass(db, '2 minutes')
    const pauses: number[] = []
    for (let tries = 1; tries <= 10; tries++) {
      const [email] = await take(db)
      await fail(email?.id, 'later')
      const { status, minutes } = await emailOf(email?.id)
      expect(status).toBe(tries < 10 ? 'waiting' : 'dead')
      if (tries < 10) pauses.push(minutes)
      await pass(db, '5 hours')
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 240])
    expect(await take(db)).toEqual([])
    const { rows } = await as(
      db,
      'ada',
    )(`select message from public.notifications where key = 'email_undeliverable' and not read`)
    expect(rows).toEqual([
      { message: 'An e-mail to Theo Tasker was given up: Mailbox of [recipient] is full' },
    ])
  })

  it('that is refused is given up at once, and admins are notified about a person once until they read it', async () => {
    await as(db, 'ada')('update public.notifications set read = true')
    for (let count = 0; count < 2; count++) {
      await approved(cast.grace)
      await pass(db, '2 minutes')
      const [email] = await take(db)
      await fail(email?.id, 'refused')
      expect((await emailOf(email?.id)).status).toBe('dead')
    }
    const { rowCount } = await as(
      db,
      'ada',
    )(`select from public.notifications where key = 'email_undeliverable' and not read`)
    expect(rowCount).toBe(1)
    expect(await subjects(db)).toEqual([]) // and by no e-mail
  })

  it('is not to blame for a mail server that is away', async () => {
    await approved(cast.theo)
    await pass(db, '2 minutes')
    for (let tries = 0; tries < 12; tries++) {
      const [email] = await take(db)
      await fail(email?.id, 'server')
      expect(await emailOf(email?.id)).toMatchObject({ status: 'waiting', attempts: 0 })
    }
    expect(people(await take(db))).toEqual(['theo'])
  })

  it('is no news after a week', async () => {
    await approved(cast.theo)
    await pass(db, '8 days')
    expect(await take(db)).toEqual([])
  })
})

describe('nothing is sent to', () => {
  it.each([
    ['an address that nobody confirmed', 'email_confirmed_at = null'],
    ['an account that is suspended', `banned_until = now() + interval '1 day'`],
  ])('%s', async (_, change) => {
    const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
    await confirmAddresses(db)
    await approved(una)
    await owner(db)(`update auth.users set ${change} where id = $1`, [una])
    expect(await subjects(db)).toEqual([])
    await approved(una)
    expect(await subjects(db)).toEqual([])
    await owner(db)('delete from auth.users where id = $1', [una])
  })

  it('a deleted account, of which nothing stays', async () => {
    const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
    await confirmAddresses(db)
    const booking = await bookingAt(db, 'pending', { tasker: una })
    await move(db, booking, cast.grace, 'accepted')
    await pay(db, booking)
    await mailed(db)
    await as(db, 'grace')('select public.cancel_booking($1)', [booking.id])
    await owner(db)(
      `update public.payments set payout_status = 'sent', refund_status = 'sent' where booking_id = $1`,
      [booking.id],
    )
    await pass(db, '2 minutes')
    const taken = await take(db)
    expect(people(taken)).toContain('una')
    await as(db, una)(`insert into public.notification_preferences (kind, email) values ('reviews', false)`)
    await owner(db)('delete from auth.users where id = $1', [una])
    for (const table of ['private.emails', 'private.email_events']) {
      expect((await owner(db)(`select from ${table} where person_id = $1`, [una])).rowCount).toBe(0)
    }
    expect(
      (await owner(db)('select from public.notification_preferences where user_id = $1', [una])).rowCount,
    ).toBe(0)
    await approved(una)
    expect(people(await mailed(db))).not.toContain('una')
  })
})

describe('messages', () => {
  const write = async (booking: { id: string }, message: string) =>
    expect(
      await tryInsert(db, 'grace', 'messages', {
        booking_id: booking.id,
        sender_id: cast.grace,
        receiver_id: cast.theo,
        message,
      }),
    ).toBeNull()
  const read = (booking: { id: string }) =>
    as(db, 'theo')(`update public.messages set status = 'read' where booking_id = $1 and read_at is null`, [
      booking.id,
    ])

  it('are mailed once they were unread for ten minutes, one e-mail a conversation until it is read', async () => {
    const booking = await bookingAt(db, 'accepted')
    await mailed(db)
    await write(booking, 'The key is under the mat.')
    expect(await subjects(db, '9 minutes')).toEqual([])
    await write(booking, 'مرحبا\nand the dog is kind')
    const [email] = await mailed(db, '1 minute')
    expect(email).toMatchObject({
      to: 'theo',
      subject: 'Grace Giver wrote to you about "Clear the driveway"',
    })
    expect(email?.text).toContain('> The key is under the mat.\n\n> مرحبا\n> and the dog is kind')
    await write(booking, 'Are you there?')
    expect(await subjects(db, '1 day')).toEqual([])
    await read(booking)
    await write(booking, 'Good.')
    expect((await mailed(db)).map(({ text }) => text.includes('Good.') && !text.includes('the mat'))).toEqual(
      [true],
    )
    await read(booking)
  })

  it('are not mailed to people who have read them', async () => {
    const booking = await bookingAt(db, 'accepted')
    await mailed(db)
    await write(booking, 'The key is under the mat.')
    await read(booking)
    expect(await subjects(db)).toEqual([])
  })

  it('do not wait for ten minutes in another e-mail', async () => {
    const booking = await bookingAt(db, 'accepted')
    await mailed(db)
    await write(booking, 'The key is under the mat.')
    await approved(cast.theo)
    expect(await subjects(db, '2 minutes')).toEqual(['theo: You are verified'])
    expect(await subjects(db, '8 minutes')).toHaveLength(1)
  })
})

it('texts of people stay plain text: markup, line ends, Arabic, emoji, long titles', async () => {
  const evil = '<img src=x onerror=alert(1)>\r\nBcc: sam@example.com'
  await notify(cast.theo, 'application_accepted', {
    person: evil,
    task: `تنظيف "الممر" ${'👩‍👩‍👧'.repeat(80)}`,
  })
  const [email] = await mailed(db)
  expect(email?.html).toContain('<bdi>&lt;img src=x onerror=alert(1)&gt;')
  expect(email?.html).not.toContain('<img')
  expect(email?.subject).not.toMatch(/[\r\n]/)
  expect(email?.subject).toMatch(
    /^<img src=x onerror=alert\(1\)> Bcc: sam@ example\. com accepted your application/,
  )
  expect(email?.subject).toMatch(/\u2068تنظيف "الممر" (👩‍👩‍👧){45}…\u2069"$/u)
})

it('only the secret key takes e-mails and reports on them', async () => {
  for (const person of ['theo', 'anonymous'] as const) {
    for (const call of [
      'begin_emails(1)',
      `finish_email(gen_random_uuid())`,
      `fail_email(gen_random_uuid(), 'later', '')`,
      'schedule_emails()',
      'flush_emails()',
    ]) {
      await expect(as(db, person)(`select public.${call}`)).rejects.toThrow(/permission denied/)
    }
  }
})

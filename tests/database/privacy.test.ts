// Visibility of people: strangers, counterparts before and after acceptance, admins, the person.
import { beforeAll, describe, expect, it } from 'vitest'
import { bookingAt, list, move, postTask, refusal, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

beforeAll(async () => {
  await owner(db)(`update public.profiles set phone = '+13065550100'`)
})

const sees = async (person: string, sql: string, values: unknown[] = []) =>
  (await as(db, person)(sql, values)).rowCount ?? 0

describe('a profile', () => {
  const whole =
    'select phone, email, rating, trust_score, verification_level from public.profiles where id = $1'

  it('is whole for the person and for admins, a card for strangers', async () => {
    for (const person of ['theo', 'ada']) expect(await sees(person, whole, [cast.theo])).toBe(1)
    for (const person of ['grace', 'sam']) expect(await sees(person, whole, [cast.theo])).toBe(0)
    await expect(as(db, 'anonymous')(whole, [cast.theo])).rejects.toThrow(/permission denied/)
    await list(db)
    for (const person of ['anonymous', 'sam']) {
      const { rows } = await as(db, person)('select * from public.public_profiles where id = $1', [cast.theo])
      expect(rows).toHaveLength(1)
      for (const secret of [
        'email',
        'phone',
        'language',
        'verification_notes',
        'last_active',
        'preferred_categories',
      ]) {
        expect(rows[0]).not.toHaveProperty(secret)
      }
    }
    await owner(db)('update private.profiles set id_verified = false')
  })

  it('opens to the counterpart at acceptance and closes at cancellation', async () => {
    const booking = await bookingAt(db, 'pending')
    expect(await sees('grace', whole, [cast.theo])).toBe(0)
    expect(await sees('theo', whole, [cast.grace])).toBe(0)
    await move(db, booking, cast.grace, 'accepted')
    expect(await sees('grace', whole, [cast.theo])).toBe(1)
    expect(await sees('theo', whole, [cast.grace])).toBe(1)
    expect(await sees('sam', whole, [cast.theo])).toBe(0)
    await move(db, booking, cast.theo, 'cancelled')
    expect(await sees('grace', whole, [cast.theo])).toBe(0)
  })

  it('is changed by the person alone, and only what is theirs', async () => {
    const change = (person: string, what: string) =>
      as(db, person)(`update public.profiles set ${what} where id = $1`, [cast.theo])
    for (const kept of [
      'rating = 5',
      'trust_score = 100',
      'total_reviews = 9',
      'completed_tasks = 9',
      'on_time_rate = 100',
      'response_rate = 1',
      `verification_level = 'verified'`,
      `email = 'theo.new@example.com'`,
      'is_verified = true',
      `role = 'admin'`,
      'insured = true',
      `id = gen_random_uuid()`,
      'created_at = now()',
    ]) {
      await expect(change('theo', kept)).rejects.toThrow(/permission denied/)
      await expect(change('ada', kept)).rejects.toThrow(/permission denied/)
    }
    expect((await change('sam', `bio = 'x'`)).rowCount).toBe(0)
    expect(await refusal(change('ada', `bio = 'x'`))).toBe('Only the person can change their own profile')
    expect(await refusal(change('theo', 'verified_by_admin = true'))).toBe(
      'Only admins can change the verification of a profile',
    )
  })

  it('is verified by an admin with time and name, and keeps the notes when that is taken back', async () => {
    const decide = (verified: boolean, notes: string | null) =>
      as(db, 'ada')(
        `update public.profiles set verified_by_admin = $2, verification_notes = coalesce($3, verification_notes),
           verified_at = '2001-01-01', verified_by = $1 where id = $1`,
        [cast.theo, verified, notes],
      )
    await decide(true, 'Licence seen')
    const read = async () =>
      (await owner(db)('select * from public.profiles where id = $1', [cast.theo])).rows[0]
    const verified = await read()
    expect(verified).toMatchObject({
      verified_by: cast.ada,
      verification_notes: 'Licence seen',
      verification_level: 'verified',
    })
    expect(verified.verified_at.getFullYear()).toBeGreaterThan(2020)
    await decide(false, null)
    expect(await read()).toMatchObject({
      verified_at: null,
      verified_by: null,
      verification_notes: 'Licence seen',
      verification_level: 'unverified',
    })
  })
})

describe('roles', () => {
  it('are read by the person and admins, written by nobody', async () => {
    expect(await sees('theo', 'select from public.user_roles')).toBe(1)
    expect(await sees('ada', 'select from public.user_roles')).toBeGreaterThan(3)
    for (const person of ['theo', 'ada', 'anonymous']) {
      await expect(
        as(db, person)(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [cast.theo]),
      ).rejects.toThrow(/permission denied/)
      await expect(as(db, person)(`update public.user_roles set role = 'admin'`)).rejects.toThrow(
        /permission denied/,
      )
      await expect(as(db, person)('delete from public.user_roles')).rejects.toThrow(/permission denied/)
    }
  })
})

describe('an exact address', () => {
  it('is for the giver, and for the tasker from acceptance on', async () => {
    const booking = await bookingAt(db, 'pending')
    await as(db, 'grace')('insert into public.task_addresses (task_id, address) values ($1, $2)', [
      booking.taskId,
      '1114 Temperance Street',
    ])
    const read = 'select address from public.task_addresses where task_id = $1'
    expect(await sees('grace', read, [booking.taskId])).toBe(1)
    expect(await sees('theo', read, [booking.taskId])).toBe(0)
    await move(db, booking, cast.grace, 'accepted')
    expect(await sees('theo', read, [booking.taskId])).toBe(1)
    expect(await sees('sam', read, [booking.taskId])).toBe(0)
    await expect(as(db, 'anonymous')(read, [booking.taskId])).rejects.toThrow(/permission denied/)
    await move(db, booking, cast.grace, 'cancelled')
    expect(await sees('theo', read, [booking.taskId])).toBe(0)
    expect(
      await tryInsert(db, 'sam', 'task_addresses', { task_id: await postTask(db), address: 'Elsewhere 1' }),
    ).toMatch(/row-level security/)
  })
})

describe('tasks', () => {
  it('are open to anyone while open, then to those who have to do with them', async () => {
    const read = 'select title from public.tasks where id = $1'
    const booking = await bookingAt(db, 'pending')
    for (const person of ['anonymous', 'sam', 'theo', 'grace', 'ada']) {
      expect(await sees(person, read, [booking.taskId])).toBe(1)
    }
    await move(db, booking, cast.grace, 'accepted')
    for (const person of ['theo', 'grace', 'ada']) expect(await sees(person, read, [booking.taskId])).toBe(1)
    for (const person of ['anonymous', 'sam']) expect(await sees(person, read, [booking.taskId])).toBe(0)
  })

  it('are changed by their giver, while open and before anybody applied', async () => {
    const id = await postTask(db)
    const change = (person: string, what: string) =>
      as(db, person)(`update public.tasks set ${what} where id = $1`, [id])
    await change('grace', 'pay_amount = 60')
    expect((await change('sam', 'pay_amount = 70')).rowCount).toBe(0)
    expect((await change('theo', 'pay_amount = 70')).rowCount).toBe(0)
    await expect(change('grace', `task_giver_id = '${cast.sam}'`)).rejects.toThrow(/permission denied/)
    await expect(as(db, 'grace')('delete from public.tasks where id = $1', [id])).rejects.toThrow(
      /permission denied/,
    )
    await as(db, 'theo')(
      `insert into public.bookings (task_id, task_doer_id, status) values ($1, $2, 'pending')`,
      [id, cast.theo],
    )
    for (const status of ['assigned', 'completed']) {
      expect(await refusal(change('grace', `status = '${status}'`))).toBe(
        `A task cannot go from open to ${status}`,
      )
    }
  })
})

describe('bookings and payments', () => {
  it('are seen by their two parties and admins', async () => {
    const booking = await bookingAt(db, 'in_progress')
    for (const table of ['bookings', 'payments']) {
      const read = `select from public.${table} where task_id = $1`
      for (const person of ['grace', 'theo', 'ada'])
        expect(await sees(person, read, [booking.taskId])).toBe(1)
      expect(await sees('sam', read, [booking.taskId])).toBe(0)
      await expect(as(db, 'anonymous')(read, [booking.taskId])).rejects.toThrow(/permission denied/)
    }
  })
})

describe('messages', () => {
  it('go between the two parties of an accepted or later booking, as oneself', async () => {
    const booking = await bookingAt(db, 'pending')
    const write = (person: string, sender: string, receiver: string) =>
      tryInsert(db, person, 'messages', {
        booking_id: booking.id,
        sender_id: sender,
        receiver_id: receiver,
        message: 'Hello',
      })
    const closed = 'Messages can be sent between the two parties once a booking is accepted'
    expect(await write('grace', cast.grace, cast.theo)).toBe(closed)
    await move(db, booking, cast.grace, 'accepted')
    expect(await write('grace', cast.grace, cast.theo)).toBe(null)
    expect(await write('theo', cast.theo, cast.grace)).toBe(null)
    expect(await write('grace', cast.theo, cast.grace)).toBe('You can only write as yourself')
    expect(await write('grace', cast.grace, cast.sam)).toBe(closed)
    expect(await write('grace', cast.grace, cast.grace)).toBe(closed)
    expect(await write('sam', cast.sam, cast.theo)).toBe(closed)
    expect(await write('ada', cast.ada, cast.theo)).toBe(closed)
    const read = 'select from public.messages where booking_id = $1'
    expect(await sees('theo', read, [booking.id])).toBe(2)
    for (const person of ['sam', 'ada']) expect(await sees(person, read, [booking.id])).toBe(0)
  })

  it('are marked read by their receiver, for good', async () => {
    const booking = await bookingAt(db, 'accepted')
    await tryInsert(db, 'grace', 'messages', {
      booking_id: booking.id,
      sender_id: cast.grace,
      receiver_id: cast.theo,
      message: 'Hello',
    })
    const mark = (person: string, what: string) =>
      as(db, person)(`update public.messages set ${what} where booking_id = $1`, [booking.id])
    expect((await mark('grace', `status = 'read'`)).rowCount).toBe(0)
    await expect(mark('theo', `message = 'Other words'`)).rejects.toThrow(/permission denied/)
    await mark('theo', `status = 'read', read_at = '2001-01-01'`)
    const { rows } = await owner(db)('select * from public.messages where booking_id = $1', [booking.id])
    expect(rows[0].status).toBe('read')
    expect(rows[0].read_at.getFullYear()).toBeGreaterThan(2020)
    await mark('theo', `status = 'sent', read_at = null`)
    const after = await owner(db)('select * from public.messages where booking_id = $1', [booking.id])
    expect(after.rows[0]).toEqual(rows[0])
  })
})

describe('notifications', () => {
  it('are read and marked by their person, written by nobody', async () => {
    const { id } = await bookingAt(db, 'accepted')
    expect(await sees('theo', `select from public.notifications where user_id = $1`, [cast.grace])).toBe(0)
    const { rows } = await as(
      db,
      'theo',
    )(`select key, params, link, title from public.notifications order by created_at desc limit 1`)
    expect(rows[0]).toMatchObject({
      key: 'application_accepted',
      params: { person: 'Grace Giver', task: 'Clear the driveway' },
      link: `/bookings?booking=${id}`,
      title: 'Application accepted',
    })
    expect((await as(db, 'theo')('update public.notifications set read = true')).rowCount).toBeGreaterThan(0)
    await expect(as(db, 'theo')(`update public.notifications set title = 'x'`)).rejects.toThrow(
      /permission denied/,
    )
    for (const person of ['theo', 'ada', 'anonymous']) {
      await expect(
        as(db, person)(
          `insert into public.notifications (user_id, title, message, key) values ($1, 'a', 'b', 'c')`,
          [cast.grace],
        ),
      ).rejects.toThrow(/permission denied/)
    }
  })
})

describe('cards and payout accounts', () => {
  it('are the own business of a person', async () => {
    const card = { user_id: cast.grace, stripe_payment_method_id: 'pm_grace', card_last4: '4242' }
    expect(await tryInsert(db, 'sam', 'payment_methods', card)).toMatch(/row-level security/)
    expect(await tryInsert(db, 'grace', 'payment_methods', card)).toBe(null)
    for (const person of ['sam', 'theo', 'ada'])
      expect(await sees(person, 'select from public.payment_methods')).toBe(0)
    expect((await as(db, 'sam')('delete from public.payment_methods')).rowCount).toBe(0)
    expect((await as(db, 'grace')('delete from public.payment_methods')).rowCount).toBe(1)
    const account = {
      user_id: cast.theo,
      stripe_account_id: 'manual',
      bank_last4: '6789',
      account_status: 'active',
    }
    expect(await tryInsert(db, 'theo', 'payout_accounts', account)).toMatch(/becomes active when/)
    expect(await tryInsert(db, 'sam', 'payout_accounts', { ...account, account_status: 'pending' })).toMatch(
      /row-level security/,
    )
  })
})

describe('the schema private', () => {
  it('lets clients run what policies need and nothing that acts', async () => {
    const newcomer = await signUp(db, { name: 'Nell Newcomer', role: 'task_doer' })
    for (const call of [
      `set_actor('payment')`,
      `notify_person('${newcomer}', 'payment_held', '{}', '/')`,
      `settle_payment('${newcomer}', 'release', 'released', 1, 0, 0)`,
      `post_ledger('${newcomer}', 'x', '', '{}')`,
      `enqueue_function('release-payout', '{}')`,
      `recount_person('${newcomer}')`,
      `decline_waiting_applications('${newcomer}')`,
    ]) {
      await expect(as(db, 'theo')(`select private.${call}`)).rejects.toThrow(/permission denied/)
      await expect(asService(db)(`select private.${call}`)).rejects.toThrow(/permission denied/)
    }
    await expect(as(db, 'theo')('select from private.notification_texts')).rejects.toThrow(
      /permission denied/,
    )
    await expect(as(db, 'theo')('delete from private.booking_transitions')).rejects.toThrow(
      /permission denied/,
    )
  })
})

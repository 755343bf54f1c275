// Leaving: an account goes for good, money records and the other party's history stay.
import { describe, expect, it } from 'vitest'
import { bookingAt, postTask, refusal, settleWithProvider, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const leave = (person: keyof typeof cast) => owner(db)('delete from auth.users where id = $1', [cast[person]])
const count = async (sql: string) => (await owner(db)(sql)).rowCount

describe('leaving', () => {
  it('without ever having moved money leaves nothing', async () => {
    const booking = await bookingAt(db, 'pending')
    await postTask(db)
    await leave('grace')
    expect(await count(`select from public.profiles where id = '${cast.grace}'`)).toBe(0)
    expect(await count('select from public.tasks')).toBe(0)
    expect(await count(`select from public.bookings where id = '${booking.id}'`)).toBe(0)
    await leave('theo')
    expect(await count('select from public.user_roles')).toBe(2)
  })

  it('is refused while money is on its way, and a running booking ends first', async () => {
    await bookingAt(db, 'in_progress')
    for (const person of ['grace', 'theo'] as const) {
      expect(await refusal(leave(person))).toBe(
        'Money of this account is still on its way. Please finish or cancel your bookings first.',
      )
    }
    expect(await count('select from auth.users')).toBe(4)
  })

  it('afterwards keeps the money records and nothing personal', async () => {
    const done = await bookingAt(db, 'released')
    await settleWithProvider(db, done)
    await tryInsert(db, 'grace', 'reviews', { booking_id: done.id, reviewer_id: cast.grace, rating: 5 })
    await tryInsert(db, 'theo', 'reviews', { booking_id: done.id, reviewer_id: cast.theo, rating: 5 })
    await tryInsert(db, 'theo', 'messages', {
      booking_id: done.id,
      sender_id: cast.theo,
      receiver_id: cast.grace,
      message: 'My number is 306 555 0100',
    })
    await tryInsert(db, 'theo', 'verifications', {
      user_id: cast.theo,
      terms_accepted: true,
      privacy_accepted: true,
      legal_name: 'Theodore Tasker',
      date_of_birth: '1990-01-01',
      id_type: 'passport',
    })
    await as(
      db,
      'theo',
    )(`update public.profiles set bio = 'Theodore, carpenter', city = 'Saskatoon', skills = '{Carpentry}'`)
    const accepted = await bookingAt(db, 'accepted')
    await leave('theo')

    const { rows } = await owner(db)('select status from public.bookings where id = $1', [accepted.id])
    expect(rows[0].status).toBe('cancelled')
    expect(await count(`select from public.payments`)).toBe(1)
    expect(await count('select from public.ledger_entries')).toBeGreaterThan(0)
    expect(await count('select from public.reviews')).toBe(2)
    for (const table of ['verifications', 'messages', 'payout_accounts']) {
      expect([table, await count(`select from public.${table}`)]).toEqual([table, 0])
    }
    const anchor = (await owner(db)('select * from public.profiles where id = $1', [cast.theo])).rows[0]
    expect(anchor.deleted_at).toBeInstanceOf(Date)
    expect(JSON.stringify(anchor)).not.toMatch(/Theo|Saskatoon|Carpent|example\.com/)
    const audit = await owner(db)('select old_values, new_values from public.audit_log')
    expect(JSON.stringify(audit.rows)).not.toMatch(/Theodore|1990-01-01/)
    const list = await as(db, 'anonymous')('select from public.find_taskers()')
    expect(list.rowCount).toBe(0)
    expect(await count('select from public.bookings where message is not null')).toBe(0)
  })

  it('a token that is left over writes nothing any more', async () => {
    const done = await bookingAt(db, 'released')
    await settleWithProvider(db, done)
    await leave('theo')
    await leave('grace')
    for (const [person, other] of [
      ['theo', 'grace'],
      ['grace', 'theo'],
    ] as const) {
      const change = as(db, person)(`update public.profiles set bio = 'Still here', last_active = now()`)
      expect((await change).rowCount).toBe(0)
      const id = cast[person]
      const rows: [string, object][] = [
        ['messages', { booking_id: done.id, sender_id: id, receiver_id: cast[other], message: 'Boo' }],
        ['reviews', { booking_id: done.id, reviewer_id: id, rating: 1 }],
        ['payment_methods', { user_id: id, stripe_payment_method_id: 'pm_again' }],
        ['payout_accounts', { user_id: id, stripe_account_id: 'x', bank_last4: '6789' }],
      ]
      for (const [table, row] of rows) {
        expect([table, await tryInsert(db, person, table, row as Record<string, unknown>)]).toEqual([
          table,
          expect.stringMatching(table === 'reviews' ? /nobody to review/ : /row-level security/),
        ])
      }
    }
    for (const bucket of ['profile-photos', 'identity-documents']) {
      const put = as(db, 'theo')('insert into storage.objects (bucket_id, name) values ($1, $2)', [
        bucket,
        `${cast.theo}/a.png`,
      ])
      await expect(put).rejects.toThrow(/row-level security/)
    }
    const address = { task_id: done.taskId, address: 'Temperance Street 1114' }
    expect(await tryInsert(db, 'grace', 'task_addresses', address)).toMatch(/row-level security/)
  })
})

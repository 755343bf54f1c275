// The audit log of roles, verification, payments and complaints, with old and new values; admins read it.
import { describe, expect, it } from 'vitest'
import { bookingAt, handInDocument, paymentOf, refusal, release, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

/** The newest entry about a row, as Ada reads it. */
const latest = async (table: string, row: string) =>
  (
    await as(db, 'ada')(
      `select actor_id, actor_role, action, old_values, new_values from public.audit_log
       where table_name = $1 and row_id = $2 order by id desc limit 1`,
      [table, row],
    )
  ).rows[0]

const submit = () =>
  tryInsert(db, 'theo', 'verifications', {
    user_id: cast.theo,
    terms_accepted: true,
    privacy_accepted: true,
    legal_name: 'Theodore Tasker',
    date_of_birth: '1990-01-01',
    id_type: 'passport',
    has_insurance: true,
    insurance_policy_number: 'A-1234',
  })

describe('the audit log', () => {
  it('keeps roles that were given and taken, by the role that did it', async () => {
    const { rows } = await asService(db)(
      `insert into public.user_roles (user_id, role) values ($1, 'task_doer') returning id`,
      [cast.sam],
    )
    expect(await latest('user_roles', rows[0].id)).toMatchObject({
      actor_id: null,
      actor_role: 'service_role',
      action: 'insert',
      old_values: null,
      new_values: { user_id: cast.sam, role: 'task_doer' },
    })
    await owner(db)('delete from public.user_roles where id = $1', [rows[0].id])
    expect(await latest('user_roles', rows[0].id)).toMatchObject({
      action: 'delete',
      old_values: { role: 'task_doer' },
      new_values: null,
    })
  })

  it('keeps the decision on a verification, and nothing that was declared in it', async () => {
    await submit()
    await handInDocument(db)
    await as(
      db,
      'ada',
    )(`update public.verifications set verification_status = 'verified', id_verified = true`)
    const { rows } = await owner(db)('select id from public.verifications')
    const entry = await latest('verifications', rows[0].id)
    expect(entry).toMatchObject({
      actor_id: cast.ada,
      actor_role: 'authenticated',
      action: 'update',
      old_values: { verification_status: 'pending', id_verified: false, decided_by: null },
      new_values: { verification_status: 'verified', id_verified: true, decided_by: cast.ada },
    })
    const { rows: all } = await owner(db)(`select * from public.audit_log where table_name = 'verifications'`)
    expect(JSON.stringify(all)).not.toMatch(/Theodore|1990-01-01|A-1234/)
  })

  it('keeps the badge an admin gives by hand, with its notes', async () => {
    await as(db, 'ada')(
      `update public.profiles set verified_by_admin = true, verification_notes = 'Licence seen' where id = $1`,
      [cast.theo],
    )
    expect(await latest('profiles', cast.theo)).toMatchObject({
      actor_id: cast.ada,
      old_values: { verified_by_admin: false, verification_notes: null },
      new_values: { verified_by_admin: true, verification_notes: 'Licence seen', verified_by: cast.ada },
    })
    const entries = () => owner(db)(`select from public.audit_log where table_name = 'profiles'`)
    const before = (await entries()).rowCount
    await as(db, 'theo')(`update public.profiles set bio = 'Carpenter' where id = $1`, [cast.theo])
    expect((await entries()).rowCount).toBe(before)
  })

  it('keeps every step of a payment: prepared by the giver, held by the webhook, released by the giver', async () => {
    const booking = await bookingAt(db, 'completed')
    const { id } = await paymentOf(db, booking)
    await release(db, booking)
    const { rows } = await as(db, 'ada')(
      `select actor_id, actor_role, action, old_values ->> 'escrow_status' as before, new_values ->> 'escrow_status' as after
       from public.audit_log where table_name = 'payments' and row_id = $1 and new_values ? 'escrow_status' order by id`,
      [id],
    )
    expect(rows.slice(0, 3)).toEqual([
      { actor_id: cast.grace, actor_role: 'authenticated', action: 'insert', before: null, after: 'pending' },
      { actor_id: null, actor_role: 'service_role', action: 'update', before: 'pending', after: 'held' },
      {
        actor_id: cast.grace,
        actor_role: 'authenticated',
        action: 'update',
        before: 'held',
        after: 'released',
      },
    ])
  })

  it('keeps a complaint from its opening to its decision', async () => {
    const booking = await bookingAt(db, 'completed')
    await tryInsert(db, 'grace', 'complaints', {
      booking_id: booking.id,
      reason: 'Half of it is still white.',
    })
    const { rows } = await owner(db)('select id from public.complaints where booking_id = $1', [booking.id])
    expect(await latest('complaints', rows[0].id)).toMatchObject({ actor_id: cast.grace, action: 'insert' })
    await as(db, 'theo')(`update public.complaints set answer = 'It snowed again at noon.'`)
    await as(db, 'ada')(`select public.decide_complaint($1, 'refund')`, [rows[0].id])
    expect(await latest('complaints', rows[0].id)).toMatchObject({
      actor_id: cast.ada,
      old_values: { decision: null },
      new_values: { decision: 'refund', decided_by: cast.ada },
    })
  })

  it('is read by admins, written by nobody, and changed by nobody at all', async () => {
    for (const person of ['grace', 'theo', 'sam']) {
      expect((await as(db, person)('select from public.audit_log')).rowCount).toBe(0)
    }
    await expect(as(db, 'anonymous')('select from public.audit_log')).rejects.toThrow(/permission denied/)
    for (const person of ['grace', 'ada', 'anonymous']) {
      await expect(
        as(db, person)('insert into public.audit_log (table_name) values ($1)', ['x']),
      ).rejects.toThrow(/permission denied/)
    }
    await expect(asService(db)('delete from public.audit_log')).rejects.toThrow(/permission denied/)
    for (const change of [
      'update public.audit_log set actor_id = null',
      'delete from public.audit_log',
      'truncate public.audit_log',
    ]) {
      expect(await refusal(owner(db)(change))).toBe('The audit log is append-only')
    }
  })
})

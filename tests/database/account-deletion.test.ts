// Leaving for good: who may, when, and that nothing of a person is found afterwards, in any table.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import {
  bookingAt,
  cancel,
  handInDocument,
  openPayoutAccount,
  release,
  settleWithProvider,
  tryInsert,
} from './lives.ts'
import { as, asProvedSession, asService, asSession, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const remove = (person: 'grace' | 'theo' | 'ada', { email = `${person}@example.com`, ageS = 60 } = {}) =>
  asSession(db, person, randomUUID(), ageS)('select public.delete_account($1)', [email])
const obstacle = async (person: 'grace' | 'theo' | 'ada' | 'sam') =>
  (await as(db, person)('select public.account_deletion_obstacle() as text')).rows[0].text

/** Where a word occurs: every table of every schema but the catalogue's and the sandbox's, as table: row. */
async function whereabouts(word: string): Promise<string[]> {
  const { rows: tables } = await owner(db)(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema', 'sandbox')`,
  )
  const found: string[] = []
  for (const { name } of tables) {
    const { rows } = await owner(db)(`select t::text as row from ${name} t where t::text ilike $1`, [
      `%${word}%`,
    ])
    found.push(...rows.map(({ row }) => `${name}: ${row}`))
  }
  return found
}

describe('deleting one’s account', () => {
  it('takes a fresh sign-in and the address, typed', async () => {
    await expect(remove('grace', { ageS: 16 * 60 })).rejects.toThrow('Please enter your password again')
    const proved = asProvedSession(db, 'grace', 16 * 60)
    await expect(proved(`select public.delete_account('grace@example.com')`)).rejects.toThrow(
      'Please enter your password again',
    )
    await expect(remove('grace', { email: 'theo@example.com' })).rejects.toThrow('Type your email exactly')
    await expect(as(db, 'anonymous')(`select public.delete_account('')`)).rejects.toThrow(/permission denied/)
    await remove('grace', { email: ' Grace@Example.com ' })
    expect((await owner(db)('select from auth.users where id = $1', [cast.grace])).rowCount).toBe(0)
  })

  it('takes the second factor of whoever has one', async () => {
    await owner(db)(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
       values ($1, $2, 'totp', 'verified', now(), now())`,
      [randomUUID(), cast.grace],
    )
    await expect(remove('grace')).rejects.toThrow('Enter the code of your second factor')
  })

  it('waits for money and complaints, and says for which; the last administrator stays', async () => {
    expect(await obstacle('sam')).toBeNull()
    expect(await obstacle('ada')).toBe('You are the only administrator. Make somebody else one first.')
    const booking = await bookingAt(db, 'completed')
    const money = 'Money of this account is still on its way. Please finish or cancel your bookings first.'
    expect([await obstacle('grace'), await obstacle('theo')]).toEqual([money, money])
    await tryInsert(db, 'grace', 'complaints', {
      booking_id: booking.id,
      reason: 'Half of it is still there.',
    })
    const complaint = 'A complaint about one of your bookings is still open. It has to be decided first.'
    expect([await obstacle('grace'), await obstacle('theo')]).toEqual([complaint, complaint])
    for (const person of ['grace', 'theo'] as const) await expect(remove(person)).rejects.toThrow(complaint)
    await expect(owner(db)('delete from auth.users where id = $1', [cast.theo])).rejects.toThrow(complaint)
    expect((await owner(db)('select from auth.users')).rowCount).toBe(4)
  })

  it('names what ends it for money that waits for bank details, and for money that is being sent', async () => {
    await owner(db)('delete from public.payout_accounts')
    const booking = await bookingAt(db, 'released')
    expect(await obstacle('grace')).toBeNull()
    expect(await obstacle('theo')).toMatch('Please check your bank details under Payout first.')
    await openPayoutAccount(db)
    expect(await obstacle('theo')).toMatch('Money is still being sent to you.')
    await settleWithProvider(db, booking)
    expect(await obstacle('theo')).toBeNull()
    const other = await bookingAt(db, 'in_progress')
    await cancel(db, other, cast.theo)
    expect(await obstacle('grace')).toMatch('Money is still being sent to you.')
  })

  it('leaves no name, address, number or file of theirs in any table', async () => {
    const secrets = [
      'Theodora',
      'theo@example.com',
      '+13065550177',
      'PolicyAA1',
      'Voisin',
      'acct_theo',
      'cus_theo',
    ]
    await owner(db)(`update auth.users set phone = '+13065550177' where id = $1`, [cast.theo])
    await as(
      db,
      'theo',
    )(
      `update public.profiles set full_name = 'Theodora Voisin', phone = '+13065550177', bio = 'Theodora, carpenter'`,
    )
    await tryInsert(db, 'theo', 'verifications', {
      user_id: cast.theo,
      terms_accepted: true,
      privacy_accepted: true,
      legal_name: 'Theodora Voisin',
      date_of_birth: '1990-01-01',
      id_type: 'passport',
      has_insurance: true,
      insurance_provider: 'Voisin Mutual',
      insurance_policy_number: 'PolicyAA1',
      insurance_expiry_date: '2040-01-01',
    })
    await handInDocument(db)
    await as(db, 'ada')(
      `update public.verifications set verification_status = 'verified', id_verified = true where user_id = $1`,
      [cast.theo],
    )
    const done = await bookingAt(db, 'in_progress')
    await as(db, 'theo')(
      `update public.bookings set status = 'completed', completion_notes = 'Theodora was here' where id = $1`,
      [done.id],
    )
    await release(db, done)
    await settleWithProvider(db, done)
    await tryInsert(db, 'theo', 'messages', {
      booking_id: done.id,
      sender_id: cast.theo,
      receiver_id: cast.grace,
      message: 'Theodora here, my number is +13065550177',
    })
    await bookingAt(db, 'pending')
    for (const [author, reporter] of [
      [cast.theo, cast.grace],
      [cast.grace, cast.theo],
    ]) {
      await owner(db)(
        `insert into public.reports (kind, subject_id, author_id, reporter_id, reason, excerpt)
         values ('profile', $1, $1, $2, 'Not so, says Theodora', 'Theodora, carpenter')`,
        [author, reporter],
      )
    }
    await tryInsert(db, 'theo', 'payment_methods', {
      user_id: cast.theo,
      stripe_payment_method_id: 'pm_theo',
    })
    await asService(db)(`select public.record_payment_customer($1, 'cus_theo')`, [cast.theo])
    await owner(db)(
      `insert into public.payout_accounts (user_id, stripe_account_id, bank_last4, account_type)
       values ($1, 'acct_theo', '6789', 'custom') on conflict (user_id) do update
       set stripe_account_id = 'acct_theo', account_type = 'custom'`,
      [cast.theo],
    )
    await owner(db)(
      `insert into auth.audit_log_entries (id, payload)
       values ($1, jsonb_build_object('actor_id', $2::text, 'actor_username', 'theo@example.com'))`,
      [randomUUID(), cast.theo],
    )
    await owner(db)(
      `insert into storage.objects (bucket_id, name, owner_id) values ('profile-photos', $1, $2)`,
      [`${cast.theo}/a.jpg`, cast.theo],
    )
    for (const secret of secrets)
      expect([secret, (await whereabouts(secret)).length > 0]).toEqual([secret, true])

    await remove('theo')
    // Data kept elsewhere is removed by the effect, which receives only ids.
    const effects = (rows: string[]) => rows.filter((row) => !row.startsWith('pgmq.'))
    for (const secret of secrets) expect([secret, effects(await whereabouts(secret))]).toEqual([secret, []])
    const { rows: queued } = await owner(db)(
      `select message -> 'body' as body from pgmq.q_effects where message ->> 'function' = 'erase-account'`,
    )
    expect(queued).toEqual([{ body: { person: cast.theo, account: 'acct_theo' } }])
    const files = await asService(db)('select * from public.files_of_person($1, 100)', [cast.theo])
    expect(files.rows.map(({ bucket_id }) => bucket_id)).toEqual(['identity-documents', 'profile-photos'])

    // Others keep their history, about nobody.
    const told = await as(db, 'grace')('select title, message from public.notifications')
    expect(JSON.stringify(told.rows)).toContain('Deleted user')
    expect((await owner(db)('select from public.payments')).rowCount).toBe(1)
    expect((await owner(db)('select from public.ledger_entries')).rowCount).toBeGreaterThan(0)
    const seen = await as(db, 'grace')('select full_name from public.public_profiles where id = $1', [
      cast.theo,
    ])
    expect(seen.rows).toEqual([{ full_name: null }])
  })

  it('the audit log stays append-only for everybody else', async () => {
    await expect(owner(db)(`update public.audit_log set action = 'delete'`)).rejects.toThrow('append-only')
    for (const role of [as(db, 'ada'), asService(db)]) {
      await expect(role('delete from public.audit_log')).rejects.toThrow(/permission denied/)
    }
  })
})

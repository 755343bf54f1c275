// Addresses that bounce or whose reader complained: no notifications are mailed there, the person is notified and can
// undo it.
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'
import { confirmAddresses, mailed, pass, subjects, take } from './sent-emails.ts'

const db = databaseWithCast()
beforeAll(() => confirmAddresses(db))
beforeEach(async () => {
  await owner(db)('delete from private.suppressed_addresses')
  await owner(db)('delete from private.mail_events')
  await owner(db)('delete from private.activity_counts')
  await owner(db)('delete from public.notifications')
  await mailed(db)
})

let nth = 0
type Report = {
  id?: string
  type?: string
  address?: string
  cause?: string | null
  message?: string | null
  mustNameEmail?: boolean
}
async function report({
  id = `report ${++nth}`,
  type = 'bounced',
  address = 'theo@example.com',
  cause = type === 'bounced' ? 'address' : null,
  message = null,
  mustNameEmail = false,
}: Report = {}) {
  const { rows } = await asService(db)(
    'select public.record_mail_event($1, $2, $3, $4, $5, $6, $7) as answer',
    [id, type, address, cause, message, 'No such user', mustNameEmail],
  )
  return rows[0].answer as { recorded: boolean; suppressed: boolean }
}
const tell = () =>
  owner(db)(`select private.notify_person($1, 'verification_approved', '{}', '/dashboard')`, [cast.theo])
const stopped = async (person = cast.theo, by: 'theo' | 'ada' | 'grace' = 'theo') =>
  (await as(db, by)('select public.suppressed_address($1) as stopped', [person])).rows[0].stopped
const resume = (by: 'theo' | 'ada' | 'grace' = 'theo') =>
  as(db, by)('select public.resume_emails($1)', [cast.theo])
const bell = async () =>
  (
    await owner(db)('select key from public.notifications where user_id = $1 order by created_at', [
      cast.theo,
    ])
  ).rows.map(({ key }) => key)

describe('a report', () => {
  it('of a missing mailbox or a complaint ends e-mails at once, and the bell tells the person', async () => {
    for (const type of ['bounced', 'complained']) {
      await tell()
      expect(await report({ type, address: ' Theo@EXAMPLE.com ' })).toEqual({
        recorded: true,
        suppressed: true,
      })
      // Also what is queued already.
      expect(await subjects(db)).toEqual([])
      expect(await stopped()).toMatchObject({
        address: 'theo@example.com',
        reason: type,
        detail: 'No such user',
      })
      await tell()
      expect(await subjects(db)).toEqual([])
      await owner(db)('delete from private.suppressed_addresses')
    }
    expect(await bell()).toEqual([
      'verification_approved',
      'emails_stopped',
      'verification_approved',
      'verification_approved',
      'emails_stopped',
      'verification_approved',
    ])
    const { rows } = await owner(db)(`select message from public.notifications where key = 'emails_stopped'`)
    expect(rows[0].message).toContain('Emails to theo@example.com came back')
  })

  it('that comes again, before or after the address was lifted, changes nothing', async () => {
    expect(await report({ id: 'same' })).toEqual({ recorded: true, suppressed: true })
    expect(await report({ id: 'same' })).toEqual({ recorded: false, suppressed: true })
    await resume()
    expect(await report({ id: 'same' })).toEqual({ recorded: false, suppressed: false })
    expect(await stopped()).toBeNull()
  })

  it('of a temporary bounce ends them at the fifth within 14 days, of those since the address was lifted', async () => {
    const temporary = () => report({ cause: 'temporary' })
    for (let time = 1; time <= 4; time++) expect((await temporary()).suppressed).toBe(false)
    await owner(db)(
      `update private.mail_events set reported_at = now() - interval '15 days' where id = (select min(id::text)::uuid from private.mail_events)`,
    )
    expect((await temporary()).suppressed).toBe(false)
    expect((await temporary()).suppressed).toBe(true)
    await resume()
    for (let time = 1; time <= 4; time++) expect((await temporary()).suppressed).toBe(false)
    expect((await temporary()).suppressed).toBe(true)
  })

  it('of a message that was not wanted says nothing about the address', async () => {
    for (let time = 1; time <= 6; time++)
      expect(await report({ cause: 'message' })).toEqual({ recorded: true, suppressed: false })
  })

  it('marks the e-mail that its Message-ID names', async () => {
    await tell()
    await pass(db, '2 minutes')
    const [email] = await take(db)
    const status = async () =>
      (await owner(db)('select status from private.emails where id = $1', [email?.id])).rows[0].status
    const message = `<${email?.id}@meadowlark.example>`
    await report({ message })
    expect(await status()).toBe('waiting')
    await asService(db)('select public.finish_email($1)', [email?.id])
    await report({ message: 'nonsense@x' })
    expect(await status()).toBe('sent')
    await report({ message, type: 'complained' })
    expect(await status()).toBe('complained')
  })

  it('that must name an e-mail counts only for the person to whom that e-mail was sent', async () => {
    await tell()
    await pass(db, '2 minutes')
    const [email] = await take(db)
    const attempts = (count: number) =>
      owner(db)('update private.emails set attempts = $2 where id = $1', [email?.id, count])
    const message = `<${email?.id}@meadowlark.example>`
    await attempts(0)
    const ignored = { recorded: false, suppressed: false }
    const forged = { mustNameEmail: true, message }
    expect(await report(forged)).toEqual(ignored)
    await attempts(1)
    expect(await report({ ...forged, message: null })).toEqual(ignored)
    expect(await report({ ...forged, address: 'grace@example.com' })).toEqual(ignored)
    expect(await report({ ...forged, cause: 'temporary' })).toEqual({ recorded: true, suppressed: false })
    await asService(db)('select public.finish_email($1)', [email?.id])
    expect(await report(forged)).toEqual({ recorded: true, suppressed: true })
    expect(await report({ ...forged, type: 'complained' })).toMatchObject({ recorded: true })
  })

  it('about nobody’s address is not kept, and one person has 50 rows at most', async () => {
    expect(await report({ address: 'nobody@example.com' })).toEqual({ recorded: false, suppressed: false })
    for (let time = 1; time <= 52; time++) await report({ cause: 'message' })
    const { rows } = await owner(db)('select count(*)::int from private.mail_events')
    expect(rows).toEqual([{ count: 50 }])
    await owner(db)(`update private.mail_events set reported_at = now() - interval '91 days'`)
    await report({ address: 'nobody@example.com' })
    expect((await owner(db)('select from private.mail_events')).rows).toHaveLength(0)
  })

  it.each([
    [{ type: 'opened' }, 'type'],
    [{ cause: 'weather' }, 'cause'],
    [{ cause: null }, 'cause'],
    [{ address: 'theo' }, 'address'],
    [{ address: '' }, 'address'],
    [{ id: '' }, 'event_id'],
    [{ id: 'x'.repeat(501) }, 'event_id'],
  ])('that is wrong is refused by its field: %j', async (wrong, field) => {
    await expect(report(wrong)).rejects.toMatchObject({ code: 'P0001', hint: field })
  })

  it('is for the secret key alone, and both tables are nobody’s to read', async () => {
    const call = `select public.record_mail_event('x', 'complained', 'theo@example.com')`
    for (const person of ['theo', 'ada'] as const) {
      await expect(as(db, person)(call)).rejects.toMatchObject({ code: '42501' })
      await expect(as(db, person)('select from private.mail_events')).rejects.toMatchObject({ code: '42501' })
      await expect(as(db, person)('select from private.suppressed_addresses')).rejects.toMatchObject({
        code: '42501',
      })
    }
  })
})

describe('a mail server that refuses at once', () => {
  it.each([
    ['550 5.1.1 No such user', true],
    ['550 5.2.1 Mailbox disabled', true],
    ['556 5.1.10 Null MX', true],
    ['550 5.7.1 Blocked for spam', false],
    ['553 5.1.8 Your domain does not exist', false],
    ['552 5.2.2 Mailbox full', false],
    ['550 rejected', false],
  ])('with %j', async (message, ends) => {
    await tell()
    await pass(db, '2 minutes')
    const [email] = await take(db)
    await asService(db)(`select public.fail_email($1, 'refused', $2)`, [email?.id, message])
    expect((await stopped()) !== null).toBe(ends)
  })
})

describe('e-mails are sent again', () => {
  it('when the person asks: the first one says so, and the audit log by whom', async () => {
    await report()
    await resume()
    expect(await stopped()).toBeNull()
    expect(await subjects(db)).toEqual(['theo: We are emailing you again'])
    await resume()
    expect(await subjects(db)).toEqual([])
    const { rows } = await owner(db)(
      `select actor_id, by_admin, subject_ids from public.audit_log where table_name = 'suppressed_addresses'
       order by id desc limit 1`,
    )
    expect(rows).toEqual([{ actor_id: cast.theo, by_admin: false, subject_ids: [cast.theo] }])
  })

  it('when an administrator does it, but not when anybody else does', async () => {
    await report()
    for (const act of [() => resume('grace'), () => stopped(cast.theo, 'grace')])
      await expect(act()).rejects.toMatchObject({ code: '42501' })
    expect(await stopped(cast.theo, 'ada')).toMatchObject({ reason: 'bounced' })
    await resume('ada')
    expect(await stopped()).toBeNull()
    const { rows } = await owner(db)(
      `select actor_id, by_admin from public.audit_log where table_name = 'suppressed_addresses' order by id desc limit 1`,
    )
    expect(rows).toEqual([{ actor_id: cast.ada, by_admin: true }])
  })

  it('when the account has another address', async () => {
    await report()
    await owner(db)(`update auth.users set email = 'theo2@example.com' where id = $1`, [cast.theo])
    expect(await stopped()).toBeNull()
    await tell()
    expect(await subjects(db)).toEqual(['theo2: You are verified'])
    await owner(db)(`update auth.users set email = 'theo@example.com' where id = $1`, [cast.theo])
    expect(await stopped()).toMatchObject({ address: 'theo@example.com' })
  })

  it('three times an hour at most', async () => {
    // Test databases have the limits lifted.
    await owner(db)(`update private.activity_limits set per_hour = 3 where action = 'emails_resumed'`)
    for (let time = 1; time <= 3; time++) {
      await report()
      await resume()
    }
    await report()
    await expect(resume()).rejects.toMatchObject({ code: 'PT429' })
    expect(await stopped()).not.toBeNull()
  })
})

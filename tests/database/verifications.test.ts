// Verification: submitted once, as pending, for oneself; decided by an admin; resubmitted after a refusal.
import { describe, expect, it } from 'vitest'
import { limits } from '../../shared/limits.ts'
import { handInDocument, refusal, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast({ fresh: true })

/** A birth date that makes a person `years` old, `days` days ago, by Saskatchewan's calendar. */
function born(years: number, days = 0): string {
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Regina' }).format(new Date())
  const [year = 0, month = 1, day = 1] = today.split('-').map(Number)
  return new Date(Date.UTC(year - years, month - 1, day - days)).toISOString().slice(0, 10)
}

const submission = {
  user_id: cast.theo,
  terms_accepted: true,
  terms_accepted_at: '2001-01-01',
  privacy_accepted: true,
  legal_name: ' Theodore Tasker ',
  date_of_birth: born(30),
  id_type: 'driver_license',
  background_check_consent: false,
  has_insurance: false,
  insurance_provider: 'Left over',
  skills: [' Drywall', '', 'drywall'],
  certifications: [] as string[],
  sin_provided: true,
  age_verified: false,
  verification_status: 'pending',
}

const submit = (change: object = {}, person = 'theo') =>
  tryInsert(db, person, 'verifications', { ...submission, ...change })
/** Ada's approval, with the word that the ID shows the person; Theo's picture of it is there. */
const approval = `verification_status = 'verified', id_verified = true`
const decide = (what: string, person = 'ada') =>
  as(db, person)(`update public.verifications set ${what} where user_id = $1`, [cast.theo])
const record = async () => (await owner(db)('select * from public.verifications')).rows[0]
const listed = async () => (await as(db, 'anonymous')(`select from public.find_taskers('')`)).rowCount

describe('submitting', () => {
  it('is complete, of age, for oneself and pending', async () => {
    const cases: [object, string][] = [
      [{ terms_accepted: false }, 'Terms must be accepted'],
      [{ privacy_accepted: false }, 'Privacy policy must be accepted'],
      [{ legal_name: ' ' }, 'Full legal name is required'],
      [{ legal_name: 'x'.repeat(limits.name.max + 1) }, 'Name too long'],
      [{ date_of_birth: null }, 'Date of birth is required'],
      [{ date_of_birth: born(limits.minimumAge, -1) }, 'You must be at least 18 years old'],
      [{ id_type: 'library_card' }, 'ID type is required'],
      [{ verification_status: 'verified' }, 'A verification is submitted as pending'],
    ]
    for (const [change, message] of cases) expect(await submit(change)).toBe(message)
    expect(await submit({ user_id: cast.sam })).toMatch(/row-level security/)
    expect(await submit({ user_id: cast.sam }, 'sam')).toBe('Only task doers can be verified')
    await expect(
      as(db, 'theo')('insert into public.verifications (user_id, id_verified) values ($1, true)', [
        cast.theo,
      ]),
    ).rejects.toThrow(/permission denied/)

    expect(await submit({ date_of_birth: born(limits.minimumAge) })).toBe(null)
    const kept = await record()
    expect(kept).toMatchObject({
      legal_name: 'Theodore Tasker',
      age_verified: true,
      insurance_provider: null,
      skills: ['Drywall'],
      verification_status: 'pending',
    })
    expect(kept.terms_accepted_at.getFullYear()).toBeGreaterThan(2020)
    expect(kept.privacy_accepted_at.getFullYear()).toBeGreaterThan(2020)
    expect(await submit()).toBe('You have already submitted your verification.')
    expect(await listed()).toBe(0)
  })

  it('takes each of the three kinds of ID', async () => {
    for (const id_type of ['driver_license', 'passport', 'health_card']) {
      expect([id_type, await submit({ id_type })]).toEqual([id_type, null])
      await owner(db)('delete from public.verifications')
    }
  })

  it('puts the skills on the profile at once, without duplicates and within its limits; approval brings none back', async () => {
    const skills = async () =>
      (await as(db, 'theo')('select skills from public.profiles where id = $1', [cast.theo])).rows[0].skills
    const setSkills = (value: string[]) =>
      as(db, 'theo')('update public.profiles set skills = $2 where id = $1', [cast.theo, value])
    await setSkills(['Snow removal', 'drywall'])
    const tooMany = 'Too many skills, or a skill is too long'
    expect(await submit({ skills: ['x'.repeat(limits.skills.length + 1)] })).toBe(tooMany)
    expect(
      await submit({ skills: Array.from({ length: limits.skills.count }, (_, i) => `skill ${i}`) }),
    ).toBe(tooMany)
    expect(await skills()).toEqual(['Snow removal', 'drywall'])

    expect(await submit({ skills: ['Drywall', 'Dog walking', 'dog walking'] })).toBe(null)
    expect(await skills()).toEqual(['Snow removal', 'drywall', 'Dog walking'])
    await setSkills(['Snow removal'])
    await handInDocument(db)
    await decide(approval)
    expect(await skills()).toEqual(['Snow removal'])
    // People find the tasker by what is on the profile.
    const found = async (word: string) =>
      (await as(db, 'anonymous')('select from public.find_taskers($1)', [word])).rowCount
    expect(await found('snow removal')).toBe(1)
    expect(await found('dog walking')).toBe(0)

    await decide(`verification_status = 'rejected', refusal_reason = 'Blurred'`)
    await as(db, 'theo')(
      `update public.verifications set skills = '{Plumbing}', verification_status = 'pending' where user_id = $1`,
      [cast.theo],
    )
    expect(await skills()).toEqual(['Snow removal', 'Plumbing'])
  })

  it('is read by the person and admins alone', async () => {
    await submit()
    for (const person of ['theo', 'ada']) {
      expect(
        (await as(db, person)('select legal_name, date_of_birth from public.verifications')).rowCount,
      ).toBe(1)
    }
    for (const person of ['grace', 'sam']) {
      expect((await as(db, person)('select from public.verifications')).rowCount).toBe(0)
    }
    await expect(as(db, 'anonymous')('select from public.verifications')).rejects.toThrow(/permission denied/)
  })
})

describe('deciding', () => {
  it('is for admins, and shows on the tasker', async () => {
    await submit()
    await handInDocument(db)
    expect(await refusal(decide(`verification_status = 'verified'`, 'theo'))).toBe(
      'You have already submitted your verification.',
    )
    expect((await decide(`verification_status = 'verified'`, 'sam')).rowCount).toBe(0)
    expect(await refusal(decide(`legal_name = 'Someone Else'`))).toBe(
      'Only the person can change what they declared',
    )
    await decide(`${approval}, background_check_status = 'verified'`)
    expect(await record()).toMatchObject({ decided_by: cast.ada, verification_status: 'verified' })
    expect(await listed()).toBe(1)
    const { rows } = await as(db, 'anonymous')(
      'select verification_level, id_verified, background_checked, insured from public.public_profiles where id = $1',
      [cast.theo],
    )
    expect(rows[0]).toEqual({
      verification_level: 'verified',
      id_verified: true,
      background_checked: true,
      insured: false,
    })
    const told = await as(db, 'theo')('select key, read from public.notifications order by created_at')
    expect(told.rows).toEqual([
      { key: 'verification_submitted', read: true },
      { key: 'verification_approved', read: false },
    ])
  })

  it('against someone needs a reason, and lets them try again', async () => {
    await submit()
    expect(await refusal(decide(`verification_status = 'rejected'`))).toBe('A refusal needs a reason')
    await decide(`verification_status = 'rejected', refusal_reason = 'The photo is blurred'`)
    const told = await as(
      db,
      'theo',
    )('select message, read from public.notifications order by created_at desc')
    expect(told.rows).toMatchObject([
      { message: 'Your verification was refused: The photo is blurred', read: false },
      { read: true },
    ])
    await decide(`legal_name = 'Theo Tasker'`, 'theo')
    expect(await record()).toMatchObject({
      verification_status: 'pending',
      refusal_reason: null,
      decided_by: null,
      legal_name: 'Theo Tasker',
    })
    expect(await refusal(decide(`legal_name = 'Again'`, 'theo'))).toBe(
      'You have already submitted your verification.',
    )
  })
})

describe('taking an approval back', () => {
  const approved = async () => {
    await submit()
    await handInDocument(db)
    await decide(approval)
    await as(db, 'ada')(
      'update public.profiles set verified_by_admin = true, verification_notes = $2 where id = $1',
      [cast.theo, 'Met in person.'],
    )
  }

  it('needs a reason, takes the badge too, and lets them try again', async () => {
    await approved()
    expect(await refusal(decide(`verification_status = 'rejected', refusal_reason = ' '`))).toBe(
      'A refusal needs a reason',
    )
    const tooLong = 'x'.repeat(limits.decisionReason.max + 1)
    expect(await refusal(decide(`verification_status = 'rejected', refusal_reason = '${tooLong}'`))).toBe(
      'Reason too long',
    )
    await decide(`verification_status = 'rejected', refusal_reason = 'The licence has expired.'`)
    expect(await listed()).toBe(0)
    const { rows } = await as(db, 'ada')(
      `select is_verified, id_verified, verification_level, verified_by_admin, verified_by, verified_at, verification_notes
       from public.profiles where id = $1`,
      [cast.theo],
    )
    expect(rows[0]).toEqual({
      is_verified: false,
      id_verified: false,
      verification_level: 'unverified',
      verified_by_admin: false,
      verified_by: null,
      verified_at: null,
      verification_notes: 'Met in person.',
    })
    await decide(`legal_name = 'Theo Tasker'`, 'theo')
    expect(await record()).toMatchObject({ verification_status: 'pending', refusal_reason: null })
  })

  it('is no way to hand in for someone', async () => {
    await approved()
    expect(await refusal(decide(`verification_status = 'pending'`))).toBe('Only the person can hand in again')
  })
})

it('nobody decides their own verification', async () => {
  await submit()
  await owner(db)(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [cast.theo])
  const own = 'Another admin decides on your own verification'
  for (const change of [
    `verification_status = 'verified'`,
    'id_verified = true',
    `verification_status = 'rejected', refusal_reason = 'No'`,
  ]) {
    expect(await refusal(decide(change, 'theo'))).toBe(own)
  }
  for (const change of ['verified_by_admin = true', `verification_notes = 'Trustworthy'`]) {
    expect(
      await refusal(as(db, 'theo')(`update public.profiles set ${change} where id = $1`, [cast.theo])),
    ).toBe(own)
  }
  // Refused by someone else, it is handed in again, and only that.
  await decide(`verification_status = 'rejected', refusal_reason = 'The photo is blurred'`)
  await decide(`verification_status = 'verified', id_verified = true`, 'theo')
  expect(await record()).toMatchObject({ verification_status: 'pending', id_verified: false })
  expect(await listed()).toBe(0)
})

describe('insurance', () => {
  const insured = async () =>
    (await as(db, 'theo')('select insured from public.public_profiles where id = $1', [cast.theo])).rows[0]
      .insured
  const timePasses = async () => (await asService(db)('select public.run_scheduled() as done')).rows[0].done
  const expires = (date: string) =>
    owner(db)('update public.verifications set insurance_expiry_date = $1', [date])

  it('shows until its last day, and ends by itself', async () => {
    await handInDocument(db)
    await submit({ has_insurance: true, insurance_expiry_date: born(0) })
    expect(await insured()).toBe(false)
    await decide(approval)
    expect(await insured()).toBe(true)
    expect(await timePasses()).toBe(0)
    const { rows } = await owner(db)(
      `select vt > now() as later from pgmq.q_effects where message ->> 'key' like 'run-scheduled-%'`,
    )
    expect(rows).toContainEqual({ later: true })
    // The day is over: as if it had been declared so, without the trigger that looks at it.
    await owner(db)('alter table public.verifications disable trigger after_verification_change')
    await expires(born(0, 1))
    await owner(db)('alter table public.verifications enable trigger after_verification_change')
    expect([await timePasses(), await timePasses()]).toEqual([1, 0])
    expect(await insured()).toBe(false)
  })

  it('that ran out before the decision never shows; without a date it does not end', async () => {
    await handInDocument(db)
    await submit({ has_insurance: true, insurance_expiry_date: born(0, 1) })
    await decide(approval)
    expect(await insured()).toBe(false)
    await owner(db)('update public.verifications set insurance_expiry_date = null')
    expect([await insured(), await timePasses()]).toEqual([true, 0])
  })
})

it('a person verified by an admin’s own word is notified once, and about its removal', async () => {
  for (const verified of [true, true, false]) {
    await as(db, 'ada')('update public.profiles set verified_by_admin = $2 where id = $1', [
      cast.theo,
      verified,
    ])
  }
  const { rows } = await as(db, 'theo')('select key, link from public.notifications order by created_at')
  expect(rows).toEqual([
    { key: 'verification_approved', link: '/dashboard' },
    { key: 'badge_removed', link: '/profile' },
  ])
})

it('documents stay as they were handed in, until they are refused', async () => {
  const hand = (name: string) =>
    as(db, 'theo')(`insert into storage.objects (bucket_id, name) values ('identity-documents', $1)`, [name])
  const replace = async () =>
    (
      await as(
        db,
        'theo',
      )(`update storage.objects set version = 'another' where bucket_id = 'identity-documents'`)
    ).rowCount
  await hand(`${cast.theo}/licence.png`)
  expect(await replace()).toBe(1)
  await submit()
  expect(await replace()).toBe(0)
  await decide(approval)
  expect(await replace()).toBe(0)
  await decide(`verification_status = 'rejected', refusal_reason = 'The photo is blurred'`)
  expect(await replace()).toBe(1)
})

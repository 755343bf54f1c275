// The verified badge: what an approval needs, whom a name belongs to, and who hears when a badge comes and goes.
import { describe, expect, it } from 'vitest'
import { approve, handIn, handInDocument, refusal } from './lives.ts'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const decide = (what: string) =>
  as(db, 'ada')(`update public.verifications set ${what} where user_id = $1`, [cast.theo])
const rename = (name: string) =>
  as(db, 'theo')('update public.profiles set full_name = $1 where id = $2', [name, cast.theo])
const badge = async () =>
  (
    await as(db, 'ada')(
      `select full_name, is_verified, verification_level, id_verified,
         (select count(*)::int from public.find_taskers('') f where f.id = p.id) as listed,
         (select count(*)::int from public.badges b where b.user_id = p.id and b.badge = 'verified') as badges
       from public.public_profiles p where id = $1`,
      [cast.theo],
    )
  ).rows[0]
const record = async () => (await owner(db)('select * from public.verifications')).rows[0]
const heard = async (person: string) =>
  (
    await as(
      db,
      person,
    )(`select key, message, link, params from public.notifications where not read
      order by created_at, id`)
  ).rows
const keys = async (person: string) => (await heard(person)).map((row) => row.key)
const forget = () => owner(db)('delete from public.notifications')

const on = { is_verified: true, verification_level: 'verified', badges: 1 }
const off = { is_verified: false, verification_level: 'unverified', id_verified: false, listed: 0, badges: 0 }

describe('an approval', () => {
  it('needs a picture of the ID and the word that it shows this person', async () => {
    await handIn(db)
    const noPicture = 'An approval needs a picture of the ID, and none was handed in'
    expect(await refusal(decide(`verification_status = 'verified', id_verified = true`))).toBe(noPicture)
    // Somebody else's picture is none of Theo's.
    const other = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
    await handInDocument(db, other)
    expect(await refusal(decide(`verification_status = 'verified', id_verified = true`))).toBe(noPicture)
    await handInDocument(db)
    const noWord = 'An approval needs your word that the ID shows this person'
    for (const what of [
      `verification_status = 'verified'`,
      `verification_status = 'verified', id_verified = false`,
    ])
      expect(await refusal(decide(what))).toBe(noWord)
    expect(await badge()).toMatchObject(off)
    await decide(`verification_status = 'verified', id_verified = true`)
    expect(await badge()).toMatchObject({ ...on, id_verified: true, listed: 1 })
    expect(await refusal(decide('id_verified = false'))).toBe(noWord)
    await expect(owner(db)('update public.verifications set id_verified = false')).rejects.toThrow(noWord)
  })

  it('needs the word anew after it was taken back', async () => {
    await approve(db)
    await decide(`verification_status = 'rejected', refusal_reason = 'The licence has expired.'`)
    expect(await record()).toMatchObject({ id_verified: false })
    expect(await refusal(decide(`verification_status = 'verified'`))).toMatch(/^An approval needs your word/)
  })

  it('is not gone round by an admin’s own word', async () => {
    const vouch = (yes = true) =>
      as(db, 'ada')('update public.profiles set verified_by_admin = $2 where id = $1', [cast.theo, yes])
    await handIn(db)
    const around = 'They handed in an ID: it is that which is approved or refused'
    expect(await refusal(vouch())).toBe(around)
    await decide(`verification_status = 'rejected', refusal_reason = 'The photo is blurred'`)
    expect(await refusal(vouch())).toBe(around)
    expect(await badge()).toMatchObject(off)
  })

  it('leaves no way to another legal name', async () => {
    await approve(db)
    const change = `update public.verifications set legal_name = 'Royal Bank' where user_id = $1`
    expect(await refusal(as(db, 'theo')(change, [cast.theo]))).toBe(
      'You have already submitted your verification.',
    )
    expect(await refusal(as(db, 'ada')(change, [cast.theo]))).toBe(
      'Only the person can change what they declared',
    )
  })
})

describe('a badge has one source', () => {
  it('which nobody writes, not even the owner', async () => {
    await owner(db)(`update public.profiles set is_verified = true, verification_level = 'verified'`)
    expect(await badge()).toMatchObject(off)
  })

  it('also for an admin’s own word, which lists nobody and says nothing of an ID', async () => {
    await as(db, 'ada')('update public.profiles set verified_by_admin = true where id = $1', [cast.theo])
    expect(await badge()).toMatchObject({ ...on, id_verified: false, listed: 0 })
    await as(db, 'ada')('update public.profiles set verified_by_admin = false where id = $1', [cast.theo])
    expect(await badge()).toMatchObject(off)
  })
})

describe('a verified person who changes the name', () => {
  it('loses the badge until an admin has looked again, and both are notified', async () => {
    await approve(db)
    await as(db, 'ada')(
      `update public.profiles set verified_by_admin = true, verification_notes = 'Met.' where id = $1`,
      [cast.theo],
    )
    await forget()
    await rename('Royal Bank Support')
    expect(await badge()).toEqual({ full_name: 'Royal Bank Support', ...off })
    expect(await record()).toMatchObject({
      verification_status: 'pending',
      id_verified: false,
      decided_at: null,
      decided_by: null,
      legal_name: 'Theodore Tasker',
    })
    const { rows } = await owner(db)(
      'select verified_by_admin, verified_at, verified_by, verified_name from public.profiles where id = $1',
      [cast.theo],
    )
    expect(rows[0]).toEqual({
      verified_by_admin: false,
      verified_at: null,
      verified_by: null,
      verified_name: 'Theo Tasker',
    })
    expect(await heard('theo')).toEqual([
      {
        key: 'name_under_review',
        link: '/profile',
        message:
          'You changed your name from "Theo Tasker" to "Royal Bank Support". The verified badge is off until an administrator has looked at it.',
        params: { before: 'Theo Tasker', name: 'Royal Bank Support' },
      },
    ])
    expect(await heard('ada')).toMatchObject([
      {
        key: 'verified_name_changed',
        link: '/admin/verify-users?tab=waiting',
        message:
          '"Theo Tasker" is now called "Royal Bank Support" and no longer verified. Please compare the name with the ID.',
      },
    ])
    // Back again is another change that nobody has looked at.
    await rename('Theo Tasker')
    expect(await badge()).toMatchObject(off)
    await decide(`verification_status = 'verified', id_verified = true`)
    expect(await badge()).toMatchObject({ ...on, listed: 1 })
  })

  it('loses an admin’s own word, too', async () => {
    await as(db, 'ada')('update public.profiles set verified_by_admin = true where id = $1', [cast.theo])
    await forget()
    await rename('Royal Bank Support')
    expect(await badge()).toMatchObject(off)
    expect([await keys('theo'), (await heard('ada'))[0].link]).toEqual([
      ['name_under_review'],
      '/admin/verify-users',
    ])
  })

  it('is one who changes any letter of it', async () => {
    await approve(db)
    for (const [what, name] of [
      ['a letter of another alphabet', 'Theo T\u0430sker'],
      ['an accent', 'Théo Tasker'],
      ['a blank within a word', 'Theo Tas ker'],
      ['digits for letters', 'The0 Tasker'],
    ] as const) {
      await rename(name)
      expect(await badge(), what).toMatchObject(off)
      await rename('Theo Tasker')
      await decide(`verification_status = 'verified', id_verified = true`)
      expect(await badge(), what).toMatchObject(on)
    }
  })

  it('is not one who changes case or blanks', async () => {
    await approve(db)
    await forget()
    for (const [name, kept] of [
      ['THEO tasker', 'THEO tasker'],
      ['  Theo \u00a0 Tasker ', 'Theo Tasker'],
    ] as const) {
      await rename(name)
      expect(await badge()).toMatchObject({ full_name: kept, ...on, listed: 1 })
    }
    expect([await keys('theo'), await keys('ada')]).toEqual([[], []])
  })

  it('while it is looked at changes what is decided about', async () => {
    await handIn(db)
    await handInDocument(db)
    const read = (await owner(db)('select id, updated_at::text from public.verifications')).rows[0]
    const decision = `update public.verifications set refusal_reason = null where id = $1 and updated_at = $2`
    expect((await owner(db)(decision, [read.id, read.updated_at])).rowCount).toBe(1)
    await rename('Royal Bank Support')
    const { rowCount } = await as(db, 'ada')(
      `update public.verifications set verification_status = 'verified', id_verified = true where id = $1 and updated_at = $2`,
      [read.id, read.updated_at],
    )
    expect(rowCount).toBe(0)
  })

  it('while it is being decided is asked to try again, and nothing waits for anything', async () => {
    await approve(db)
    await db.database.transaction(async (admin) => {
      await admin.query('select from public.verifications where user_id = $1 for update', [cast.theo])
      expect(await refusal(rename('Royal Bank Support'))).toBe(
        'This verification is being decided right now. Please try again.',
      )
    })
    expect(await badge()).toMatchObject(on)
  })
})

describe('a name', () => {
  it('gives no badge by itself', async () => {
    const words = 'Name cannot contain a check mark'
    for (const name of ['Nell \u2705', 'Nell \u2714\ufe0f']) {
      expect(await refusal(rename(name))).toBe(words)
      expect(await refusal(signUp(db, { name, role: 'task_doer' }))).toBe(words)
    }
  })

  it('that another service brings is freed of it', async () => {
    const { rows } = await owner(db)(
      `insert into auth.users (id, email, raw_user_meta_data) values (gen_random_uuid(), 'ada.other@example.com', $1) returning id`,
      [{ name: 'Nell \u2705 Newcomer' }],
    )
    const kept = await owner(db)('select full_name from public.profiles where id = $1', [rows[0].id])
    expect(kept.rows).toEqual([{ full_name: 'Nell Newcomer' }])
  })
})

describe('notifications about badges', () => {
  it('of a hand-in: the person and the admins, of the first and of the next', async () => {
    await handIn(db)
    expect(await heard('theo')).toMatchObject([
      {
        key: 'verification_submitted',
        message: 'Your verification is under review. We will tell you what is decided.',
      },
    ])
    expect(await heard('ada')).toMatchObject([
      {
        key: 'verification_waiting',
        message: 'Theo Tasker handed in a verification.',
        link: '/admin/verify-users?tab=waiting',
      },
    ])
    await decide(`verification_status = 'rejected', refusal_reason = 'The photo is blurred'`)
    await forget()
    await as(db, 'theo')(`update public.verifications set legal_name = 'Theo Tasker' where user_id = $1`, [
      cast.theo,
    ])
    expect([await keys('theo'), await keys('ada')]).toEqual([
      ['verification_submitted'],
      ['verification_waiting'],
    ])
  })

  it('of a badge that is removed: the person, and what was approved waits for another look', async () => {
    await approve(db)
    await as(db, 'ada')('update public.profiles set verified_by_admin = true where id = $1', [cast.theo])
    await forget()
    await as(db, 'ada')('update public.profiles set verified_by_admin = false where id = $1', [cast.theo])
    expect(await badge()).toMatchObject(off)
    expect(await record()).toMatchObject({ verification_status: 'pending' })
    expect(await heard('theo')).toMatchObject([
      { key: 'badge_removed', message: 'An administrator removed the verified badge from your profile.' },
    ])
  })

  it('of an approval that is taken back: the person, once, with the reason', async () => {
    await approve(db)
    await as(db, 'ada')('update public.profiles set verified_by_admin = true where id = $1', [cast.theo])
    await forget()
    await decide(`verification_status = 'rejected', refusal_reason = 'The licence has expired.'`)
    expect(await keys('theo')).toEqual(['verification_withdrawn'])
  })

  it('of another photo: the admins, once until they have looked; the badge stays', async () => {
    const photo = (address: string | null) =>
      as(db, 'theo')('update public.profiles set avatar_url = $1 where id = $2', [address, cast.theo])
    await photo('/before.jpg')
    expect(await heard('ada')).toEqual([])
    await approve(db)
    await forget()
    for (const address of ['/a.jpg', '/a.jpg', null, '/b.jpg']) await photo(address)
    expect(await heard('ada')).toMatchObject([
      { key: 'verified_photo_changed', link: `/profile/${cast.theo}`, params: { person: 'Theo Tasker' } },
    ])
    expect(await badge()).toMatchObject({ ...on, listed: 1 })
  })
})

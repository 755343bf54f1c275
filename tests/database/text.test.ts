// Text and values: characters that show nothing do not count, and invalid values are rejected by name.
import { beforeAll, describe, expect, it } from 'vitest'
import { looksVerified, plainName, sameName, trimmed, visibleLength } from '../../shared/text.ts'
import { type Booking, bookingAt, postTask, refusal, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

describe('shared/text.ts and the database', () => {
  const lastCharacter = 0x10ffff
  const isSurrogate = (code: number) => code >= 0xd800 && code <= 0xdfff

  it('see the same characters, every one of Unicode', async () => {
    const { rows } = await owner(db)(
      `select array_agg(code) filter (where private.trimmed(chr(code)) = '') as blank,
         array_agg(code) filter (where private.visible_length(chr(code)) = 0) as hidden
       from (select code from generate_series(1, $1) code where code not between 55296 and 57343
         and chr(code) ~ ('[' || private.space_characters() || private.hidden_characters() || ']')) candidates`,
      [lastCharacter],
    )
    const blank: number[] = []
    const hidden: number[] = []
    for (let code = 1; code <= lastCharacter; code++) {
      if (isSurrogate(code)) continue
      const character = String.fromCodePoint(code)
      if (trimmed(character) === '') blank.push(code)
      if (visibleLength(character) === 0) hidden.push(code)
    }
    expect(rows[0].blank).toEqual(blank)
    expect(rows[0].hidden).toEqual(hidden)
  })

  it('count as blank all that Unicode calls white space, a control, or ignorable by default', () => {
    const seen: string[] = []
    for (let code = 0; code <= lastCharacter; code++) {
      const character = isSurrogate(code) ? '' : String.fromCodePoint(code)
      const shows = !/^[\p{White_Space}\p{Cc}\p{Default_Ignorable_Code_Point}]?$/u.test(character)
      if (!shows && trimmed(character) !== '') seen.push(code.toString(16))
    }
    expect(seen).toEqual([])
  })

  it.each([
    ['\u200b\u200b\u200b\u200b\u200b', '', 0],
    ['\u2800\u3164 \u202e\u00ad', '', 1],
    ['  Walk\u00a0the dog \ufeff', 'Walk\u00a0the dog', 15],
    ['a\u200b\u200b\u200b\u200b', 'a\u200b\u200b\u200b\u200b', 1],
    ['👩‍👩‍👧', '👩‍👩‍👧', 3],
    ['سلام\u200f!', 'سلام\u200f!', 5],
    ['क्\u200dष', 'क्\u200dष', 3],
  ])('agree on %j', async (text, plain, visible) => {
    const { rows } = await owner(db)(
      'select private.trimmed($1) as plain, private.visible_length($1) as visible',
      [text],
    )
    expect(rows[0]).toEqual({ plain, visible })
    expect([trimmed(text), visibleLength(text)]).toEqual([plain, visible])
  })
})

describe('names', () => {
  it.each([
    ['  Grace \u00a0  Giver\n', 'Grace Giver'],
    ['Gr\u200bace\u202e Gi\u00adver\u{e0041}', 'Grace Giver'],
    ['क्\u200dष \u200b', 'क्\u200dष'],
    ['Grace ❤\ufe0f', 'Grace ❤\ufe0f'],
    ['\u200b\u200c', ''],
  ])('are kept alike: %j', async (name, plain) => {
    const { rows } = await owner(db)('select private.plain_name($1) as plain', [name])
    expect([rows[0].plain, plainName(name)]).toEqual([plain, plain])
  })

  it('that would pass for a badge are known to both, whatever the sign', async () => {
    const { rows } = await owner(db)(
      `select array_agg(code) as codes from generate_series(1, $1) code
       where code not between 55296 and 57343 and chr(code) ~ private.forged_badge()`,
      [0x10ffff],
    )
    expect(rows[0].codes).toEqual([0x2611, 0x2705, 0x2713, 0x2714, 0x1f5f8, 0x1f5f9])
    for (const code of rows[0].codes) expect(looksVerified(`Theo ${String.fromCodePoint(code)}`)).toBe(true)
    expect(looksVerified('Theo Tasker')).toBe(false)
  })

  it('are the same or not, as the badge sees it', () => {
    expect(sameName('Theo Tasker', ' theo  TASKER\u200b')).toBe(true)
    expect(sameName('Theo Tasker', 'Theo T\u0430sker')).toBe(false)
  })
})

const invisible = '\u200b\u2800\u202e\u3164\u00ad'.repeat(10)

describe('text that shows nothing', () => {
  const task = {
    task_giver_id: cast.grace,
    title: 'Walk the dog',
    description: 'Forty minutes along the river.',
    category: 'Pet Care',
    location: 'Saskatoon',
    pay_amount: 30,
  }

  it.each([
    ['title', 'Title must be at least 5 characters'],
    ['description', 'Description must be at least 20 characters'],
    ['location', 'Location must be at least 3 characters'],
    ['category', 'Category is required'],
  ])('is no %s', async (field, message) => {
    expect(await tryInsert(db, 'grace', 'tasks', { ...task, [field]: invisible })).toBe(message)
    expect(await tryInsert(db, 'grace', 'tasks', { ...task, [field]: `a${invisible}` })).toBe(message)
  })

  it('is no tools, no address, no application, no notes, no reason, no review, no name', async () => {
    const { rows } = await as(db, 'grace')(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, tools_description)
       values ($1, $2, $3, $4, $5, $6, $7) returning id, tools_description`,
      [...Object.values(task), invisible],
    )
    expect(rows[0].tools_description).toBe(null)
    expect(await tryInsert(db, 'grace', 'task_addresses', { task_id: rows[0].id, address: invisible })).toBe(
      'Address must be at least 3 characters',
    )
    const applied = await as(db, 'theo')(
      `insert into public.bookings (task_id, task_doer_id, message, status) values ($1, $2, $3, 'pending') returning message`,
      [rows[0].id, cast.theo, invisible],
    )
    expect(applied.rows[0].message).toBe(null)

    const booking = await bookingAt(db, 'in_progress')
    const chat = { booking_id: booking.id, sender_id: cast.grace, receiver_id: cast.theo, message: invisible }
    expect(await tryInsert(db, 'grace', 'messages', chat)).toBe('Message cannot be empty')
    const { rows: completed } = await as(db, 'theo')(
      `update public.bookings set status = 'completed', completion_notes = $2 where id = $1 returning completion_notes`,
      [booking.id, invisible],
    )
    expect(completed[0].completion_notes).toBe(null)
    const complaint = { booking_id: booking.id, reason: invisible }
    expect(await tryInsert(db, 'grace', 'complaints', complaint)).toMatch(/at least 10 characters/)
    const review = { booking_id: booking.id, reviewer_id: cast.grace, rating: 4, comment: invisible }
    expect(await tryInsert(db, 'grace', 'reviews', review)).toBe(null)
    expect((await as(db, 'grace')('select comment from public.reviews')).rows).toEqual([{ comment: null }])
    expect(await refusal(as(db, 'grace')('update public.profiles set full_name = $1', [invisible]))).toBe(
      'Name must be at least 2 characters',
    )
    const { rows: profile } = await as(db, 'sam')(
      'update public.profiles set bio = $1, city = $1, phone = $1, skills = array[$1] returning bio, city, phone, skills',
      [invisible],
    )
    expect(profile).toEqual([{ bio: null, city: null, phone: null, skills: [] }])
  })
})

describe('values that cannot be', () => {
  const change = (column: string, value: unknown) =>
    as(db, 'grace')(`update public.tasks set ${column} = $2 where id = $1`, [taskId, value])
  let taskId: string
  let booking: Booking
  beforeAll(async () => {
    taskId = await postTask(db)
    booking = await bookingAt(db, 'accepted')
  })

  it.each([
    ['tools_provided', null, 'Tools provided must be true or false'],
    ['pay_amount', null, 'Pay amount must be positive'],
    ['pay_amount', '1e300', 'Pay amount too high'],
    ['pay_amount', '99999999999999.99', 'Pay amount too high'],
    ['pay_amount', 'NaN', 'Pay amount too high'],
    ['pay_amount', 'Infinity', 'Pay amount too high'],
    ['pay_amount', '-1e300', 'Pay amount must be positive'],
    ['pay_amount', '30.005', 'Pay amount can have two decimals at most'],
    ['title', null, 'Title must be at least 5 characters'],
    ['duration_minutes', 0, 'Duration must be between 1 minute and 7 days'],
    ['scheduled_date', 'infinity', 'Scheduled date is not a usable date'],
    ['status', null, 'A task cannot go from open to '],
  ])('a task’s %s of %s', async (column, value, message) => {
    expect(await refusal(change(column, value))).toBe(message)
  })

  it('an amount that is a hair off is the amount', async () => {
    await change('pay_amount', 0.1 + 0.2 + 30)
    const { rows } = await owner(db)('select pay_amount from public.tasks where id = $1', [taskId])
    expect(rows[0].pay_amount).toBe('30.30')
  })

  it.each([
    ['hourly_rate', '1e300', 'Hourly rate too high'],
    ['hourly_rate', 'NaN', 'Hourly rate too high'],
    ['hourly_rate', -1, 'Hourly rate must be at least 0'],
    ['availability_status', null, 'Availability must be available, busy or unavailable'],
    ['language', null, 'Unknown language'],
    ['language', 'xx', 'Unknown language'],
    ['full_name', null, 'Name must be at least 2 characters'],
  ])('a profile’s %s of %s', async (column, value, message) => {
    expect(
      await refusal(
        as(db, 'grace')(`update public.profiles set ${column} = $1 where id = $2`, [value, cast.grace]),
      ),
    ).toBe(message)
  })

  it.each(['has_insurance', 'sin_provided', 'background_check_consent'])(
    'a verification’s %s of null',
    async (column) => {
      const row = {
        user_id: cast.theo,
        terms_accepted: true,
        privacy_accepted: true,
        legal_name: 'Theo Tasker',
        date_of_birth: '1990-01-01',
        id_type: 'passport',
        [column]: null,
      }
      expect(await tryInsert(db, 'theo', 'verifications', row)).toMatch(/must be true or false/)
    },
  )

  it('a booking, a review or a decision of nothing', async () => {
    const application = { task_id: taskId, task_doer_id: cast.theo, status: null }
    expect(await tryInsert(db, 'theo', 'bookings', application)).toBe('An application starts as pending')
    expect(
      await refusal(as(db, 'grace')('update public.bookings set status = null where id = $1', [booking.id])),
    ).toMatch(/You cannot change this booking/)
  })
})

describe('a scheduled date', () => {
  const at = (interval: string) => `now() + '${interval}'::interval`
  const insert = (when: string) =>
    as(db, 'grace')(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, scheduled_date)
       values ($1, 'Walk the dog', 'Forty minutes along the river.', 'Pet Care', 'Saskatoon', 30, ${when}) returning id`,
      [cast.grace],
    )

  it('lies ahead, give or take a clock', async () => {
    for (const when of [at('-1 hour'), at('-6 minutes'), at('-20 years')]) {
      expect(await refusal(insert(when))).toBe('Scheduled date must be in the future')
    }
    for (const when of [at('-4 minutes'), at('1 minute'), 'null']) await insert(when)
    const { rows } = await insert(at('1 day'))
    const move = (when: string) =>
      as(db, 'grace')(`update public.tasks set scheduled_date = ${when} where id = $1`, [rows[0].id])
    expect(await refusal(move(at('-1 day')))).toBe('Scheduled date must be in the future')
    await move('null')
    await move(at('2 days'))
  })

  it('that passed meanwhile does not block another change', async () => {
    const task = await postTask(db, { scheduled: '-2 hours' })
    const change = (what: string) => as(db, 'grace')(`update public.tasks set ${what} where id = $1`, [task])
    await change(`title = 'Clear the driveway, again'`)
    await change(`title = 'Clear the whole driveway', scheduled_date = scheduled_date`)
    expect(await refusal(change(at('-1 hour').replace(/^/, 'scheduled_date = ')))).toBe(
      'Scheduled date must be in the future',
    )
    await change(`status = 'cancelled'`)
  })
})

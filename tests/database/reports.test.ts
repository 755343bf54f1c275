// Reports: who can report what, how often; what hiding means for each kind; who is notified.
import { expect, it } from 'vitest'
import { apply, approve, bookingAt, list, postTask, refusal, tryInsert } from './lives.ts'
import { as, cast, databaseWithCast, owner, type Persona } from './personas.ts'

const db = databaseWithCast({ fresh: true })

const reason = 'This is an advertisement.'
const report = (by: Persona, kind: string, subject: string, why = reason) =>
  as(db, by)('select public.report_content($1::public.reported_kind, $2, $3)', [kind, subject, why])
const decide = (hide: boolean, note: string | null = null, by: Persona = 'ada') =>
  as(db, by)(
    'select public.decide_report((select id from public.reports order by created_at limit 1), $1, $2)',
    [hide, note],
  )
const sees = async (person: Persona, sql: string, values: unknown[] = []) =>
  (await as(db, person)(sql, values)).rowCount
const keys = async (person: Persona) =>
  (
    await as(
      db,
      person,
    )(`select key from public.notifications where key ~ 'content|report' order by created_at, key`)
  ).rows.map((row) => row.key)

it('is taken once a person, with a reason, of what they can see and have not written; ten a day', async () => {
  const task = await postTask(db)
  expect(await refusal(report('anonymous', 'task', task))).toMatch(/permission denied/)
  expect(await refusal(report('grace', 'task', task))).toBe('This is your own')
  expect(await refusal(report('sam', 'task', task, 'Bad.'))).toMatch(/at least 10 characters/)
  expect(await refusal(report('sam', 'task', task, 'x'.repeat(1001)))).toMatch(/Reason too long/)
  expect(await refusal(report('sam', 'task', cast.sam))).toBe('This is no longer there')
  const booking = await bookingAt(db, 'in_progress')
  expect(await refusal(report('sam', 'task', booking.taskId))).toBe('This is no longer there')
  await report('sam', 'task', task)
  await report('theo', 'task', task)
  expect(await refusal(report('sam', 'task', task))).toBe('You have already reported this')
  // The second report of the same thing is no second notice.
  expect(await keys('ada')).toEqual(['content_reported'])
  expect(await sees('sam', 'select from public.reports')).toBe(1)
  expect(await sees('grace', 'select from public.reports')).toBe(0)
  expect(await sees('ada', 'select from public.reports')).toBe(2)
  for (let n = 0; n < 9; n++) await report('sam', 'task', await postTask(db))
  await list(db)
  expect(await refusal(report('sam', 'profile', cast.theo))).toMatch(/10 things within a day/)
})

it('takes no more than its reporter can read, and gives them nothing back', async () => {
  const gone = 'This is no longer there'
  const excerpts = async () =>
    (await owner(db)('select excerpt from public.reports order by created_at')).rows
  // A hidden task, also to the tasker who is asked to do it first.
  const task = await postTask(db)
  await list(db)
  const asked = await postTask(db)
  await owner(db)(`update public.tasks set status = 'asked', asked_tasker_id = $2 where id = $1`, [
    asked,
    cast.theo,
  ])
  await owner(db)(`update public.tasks set hidden_for = 'report'`)
  expect(await refusal(report('sam', 'task', task))).toBe(gone)
  expect(await refusal(report('theo', 'task', asked))).toBe(gone)
  // A hidden message, a hidden review, a review that is still blind.
  const booking = await bookingAt(db, 'released')
  const parties = { booking_id: booking.id, sender_id: cast.theo, receiver_id: cast.grace }
  await tryInsert(db, 'theo', 'messages', { ...parties, message: 'Pay me outside' })
  await owner(db)('update public.messages set hidden_at = now()')
  const message = (await owner(db)('select id from public.messages')).rows[0].id
  expect(await refusal(report('grace', 'message', message))).toBe(gone)
  const review = { booking_id: booking.id, reviewer_id: cast.grace, rating: 1, comment: 'A thief' }
  await tryInsert(db, 'grace', 'reviews', review)
  const written = (await owner(db)('select id from public.reviews')).rows[0].id
  expect(await refusal(report('theo', 'review', written))).toBe(gone)
  await owner(db)('update public.reviews set visible_from = now(), hidden_at = now()')
  expect(await refusal(report('theo', 'review', written))).toBe(gone)
  // Somebody without anything public; then what a hidden profile withholds, by who knows its person and who does not.
  expect(await refusal(report('sam', 'profile', cast.ada))).toBe(gone)
  await as(db, 'theo')(`update public.profiles set bio = 'By the river', skills = '{Fishing}'`)
  await owner(db)(
    'update public.reviews set reviewer_id = reviewee_id, reviewee_id = reviewer_id, hidden_at = null',
  )
  await as(db, 'theo')(`update public.profiles set visibility = 'hidden'`)
  await report('sam', 'profile', cast.theo)
  await report('grace', 'profile', cast.theo)
  expect(await excerpts()).toEqual([
    { excerpt: 'Theo T.\n' },
    { excerpt: 'Theo Tasker\nBy the river\nFishing' },
  ])

  for (const column of ['excerpt', 'decision_note', 'decided_by'])
    for (const person of ['grace', 'sam', 'ada'] as const)
      expect(await refusal(as(db, person)(`select ${column} from public.reports`))).toMatch(
        /permission denied/,
      )
})

it('is decided by admins alone, and not about what they wrote themselves', async () => {
  const task = await postTask(db, { giver: cast.ada })
  await report('sam', 'task', task)
  for (const person of ['grace', 'theo', 'sam', 'anonymous'] as const) {
    expect(await refusal(as(db, person)('select * from public.find_reports()'))).toMatch(
      /^Only admins|permission denied/,
    )
    expect(await refusal(as(db, person)(`select public.decide_report('${cast.sam}', true, 'x')`))).toMatch(
      /^Only admins|permission denied/,
    )
  }
  expect(await refusal(decide(true, reason))).toBe('Another admin decides about what you wrote')
})

it('hides a task from people who have nothing to do with it, tells its author why, and shows it again', async () => {
  const task = await postTask(db)
  await apply(db, task)
  await report('sam', 'task', task)
  await report('theo', 'task', task)
  const rows = (await as(db, 'ada')('select * from public.find_reports()')).rows
  expect(rows.map((row) => [row.author_name, row.reporter_name, row.others])).toEqual([
    ['Grace Giver', 'Sam Stranger', 1],
    ['Grace Giver', 'Theo Tasker', 1],
  ])
  const read = (person: Persona) => sees(person, 'select from public.tasks where id = $1', [task])
  expect(await refusal(decide(true))).toMatch(/Please give a reason/)
  await decide(true, 'No advertisements, please')
  expect([await read('sam'), await read('anonymous'), await read('theo'), await read('grace')]).toEqual([
    0, 0, 1, 1,
  ])
  expect(await sees('sam', `select from public.search_tasks('driveway')`)).toBe(0)
  expect(await keys('grace')).toEqual(['content_hidden'])
  const [notice] = (
    await as(db, 'grace')(`select message from public.notifications where key = 'content_hidden'`)
  ).rows
  expect(notice.message).toContain('No advertisements, please')
  expect([await keys('sam'), await keys('theo')]).toEqual([['report_handled'], ['report_handled']])
  expect(await refusal(decide(true, reason))).toBe('This is hidden already')
  await decide(false)
  expect(await read('sam')).toBe(1)
  expect(await keys('grace')).toEqual(['content_hidden', 'content_shown'])
  expect(await refusal(decide(false))).toBe('This is dismissed already')
})

it('hides a message from its receiver, a review with its stars from all, a profile’s words from strangers', async () => {
  const booking = await bookingAt(db, 'released')
  const say = {
    booking_id: booking.id,
    sender_id: cast.theo,
    receiver_id: cast.grace,
    message: 'Pay me outside',
  }
  await tryInsert(db, 'theo', 'messages', say)
  const message = (await owner(db)('select id from public.messages')).rows[0].id
  expect(await refusal(report('sam', 'message', message))).toBe('This is no longer there')
  await report('grace', 'message', message)
  await decide(true, reason)
  expect(await sees('grace', 'select from public.messages')).toBe(0)
  expect(await sees('theo', 'select from public.messages')).toBe(1)
  // Both see in the chat that something was there; its words are for their author.
  const chat = async (person: Persona) =>
    (await as(db, person)('select id, message, hidden from public.chat_messages')).rows
  expect(await chat('grace')).toEqual([{ id: message, message: '', hidden: true }])
  expect(await chat('theo')).toEqual([{ id: message, message: 'Pay me outside', hidden: true }])
  expect(await chat('sam')).toEqual([])
  expect(await refusal(chat('anonymous'))).toMatch(/permission denied/)
  const heard = await owner(db)(`select topic, event, private from realtime.messages where event = 'hidden'`)
  expect(heard.rows).toEqual([{ topic: `chat:${booking.id}`, event: 'hidden', private: true }])
  const mailed = await owner(db)('select private.unread_messages($1, $2) as texts', [cast.grace, booking.id])
  expect(mailed.rows).toEqual([{ texts: null }])
  const told = async (person: Persona) =>
    (await as(db, person)('select kind, subject_id, reason from public.my_restrictions()')).rows
  expect(await told('theo')).toEqual([{ kind: 'message', subject_id: booking.id, reason }])
  expect(await told('grace')).toEqual([])
  await owner(db)('delete from public.reports')

  for (const [who, rating] of [
    ['grace', 1],
    ['theo', 5],
  ] as const)
    await tryInsert(db, who, 'reviews', { booking_id: booking.id, reviewer_id: cast[who], rating })
  const review = (await owner(db)('select id from public.reviews where reviewee_id = $1', [cast.theo]))
    .rows[0].id
  const record = async () =>
    (await owner(db)('select rating::float, total_reviews from public.profiles where id = $1', [cast.theo]))
      .rows[0]
  expect(await record()).toEqual({ rating: 1, total_reviews: 1 })
  await report('theo', 'review', review)
  await decide(true, reason)
  const shown = (person: Persona) => sees(person, 'select from public.reviews where id = $1', [review])
  expect([await shown('sam'), await shown('theo'), await shown('grace'), await shown('ada')]).toEqual([
    0, 0, 1, 1,
  ])
  expect(await record()).toEqual({ rating: 0, total_reviews: 0 })
  expect(await told('grace')).toEqual([{ kind: 'review', subject_id: cast.theo, reason }])
  await decide(false)
  expect(await record()).toEqual({ rating: 1, total_reviews: 1 })
  await owner(db)('delete from public.reports')

  await approve(db)
  await as(db, 'theo')(`update public.profiles set bio = 'Pay me outside', skills = '{Spam}' where id = $1`, [
    cast.theo,
  ])
  await report('sam', 'profile', cast.theo)
  await decide(true, reason)
  const card = async () =>
    (
      await as(db, 'sam')('select full_name, bio, skills from public.public_profiles where id = $1', [
        cast.theo,
      ])
    ).rows[0]
  expect(await card()).toEqual({ full_name: 'Theo T.', bio: null, skills: [] })
  expect(await sees('sam', 'select from public.find_taskers()')).toBe(0)
  await decide(false)
  expect(await card()).toMatchObject({ bio: 'Pay me outside', skills: ['Spam'] })
})

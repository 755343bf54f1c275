// Hidden content disappears everywhere: from the bell, from pending e-mails and pushes, and from the addresses of its
// pictures.
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { apply, bookingAt, list, postTask, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, type Persona } from './personas.ts'
import { confirmAddresses } from './sent-emails.ts'
import { subscribe } from './subscriptions.ts'

const db = databaseWithCast({ fresh: true })

const reason = 'This is an advertisement.'
const report = (by: Persona, kind: string, subject: string) =>
  as(db, by)('select public.report_content($1::public.reported_kind, $2, $3)', [kind, subject, reason])
/** Ada hides what was reported first. */
const hide = () =>
  as(db, 'ada')(
    'select public.decide_report((select id from public.reports order by created_at limit 1), true, $1)',
    [reason],
  )

const WORDS = 'Pay me outside, at Corner Bank'
/** Where the words are still to be read by that person: in the bell, in a push or an e-mail that waits. */
const words = async (person: Persona, what: string) => {
  const { rows } = await owner(db)(
    `select 'bell' as place from public.notifications n
       where n.user_id = $1 and position($2 in n.title || n.message || n.params::text) > 0
     union all select 'push' from private.push_messages m join public.push_subscriptions s on s.id = m.subscription_id
       where s.user_id = $1 and position($2 in m.params::text) > 0
     union all select 'e-mail' from private.email_events e where e.person_id = $1
       and position($2 in e.params::text || case e.key when 'message_received'
         then coalesce(private.unread_messages(e.person_id, e.booking_id)::text, '') else '' end) > 0`,
    [cast[person as keyof typeof cast], what],
  )
  return rows.map(({ place }) => place)
}

it('takes the words of a hidden message out of the bell, and of what waits to be sent', async () => {
  await confirmAddresses(db)
  await subscribe(db, 'grace')
  const booking = await bookingAt(db, 'in_progress')
  const say = { booking_id: booking.id, sender_id: cast.theo, receiver_id: cast.grace, message: WORDS }
  await tryInsert(db, 'theo', 'messages', say)
  expect(await words('grace', WORDS)).toEqual(['bell', 'push', 'e-mail'])
  const { rows } = await owner(db)('select id from public.messages')
  await report('grace', 'message', rows[0].id)
  await hide()
  expect(await words('grace', WORDS)).toEqual([])
  const bell = await as(
    db,
    'grace',
  )(`select message, params from public.notifications where key = 'message_received'`)
  expect(bell.rows).toEqual([
    {
      message: 'Theo Tasker: Removed message',
      params: {
        person: 'Theo Tasker',
        text: 'Removed message',
        codes: { text: 'removed_message' },
        booking: booking.id,
      },
    },
  ])
})

it('takes the title of a hidden task from the person it was offered to, not from applicants', async () => {
  await list(db)
  await confirmAddresses(db)
  await subscribe(db, 'theo')
  const { rows } = await as(db, 'grace')(
    `insert into public.tasks (task_giver_id, asked_tasker_id, title, description, category, location, pay_amount)
     values ($1, $2, $3, 'Two hours on a Saturday morning.', 'Other', 'Saskatoon', 60) returning id`,
    [cast.grace, cast.theo, WORDS],
  )
  expect(await words('theo', WORDS)).toEqual(['bell', 'push', 'e-mail'])
  await report('theo', 'task', rows[0].id)
  await hide()
  expect(await words('theo', WORDS)).toEqual([])
  expect(await words('ada', 'Removed')).toEqual([])
  await owner(db)('delete from public.reports')
  const task = await postTask(db)
  await apply(db, task)
  await report('sam', 'task', task)
  await hide()
  expect(await words('grace', 'Clear the driveway')).toContain('bell')
})

it('moves the files of what is hidden to where nobody opens them, and back', async () => {
  await list(db)
  const put = async (person: 'grace' | 'theo', bucket: string, name: string) => {
    await as(db, person)('insert into storage.objects (bucket_id, name, owner_id) values ($1, $2, $3)', [
      bucket,
      name,
      cast[person],
    ])
    return name
  }
  const face = await put('theo', 'profile-photos', `${cast.theo}/${randomUUID()}.jpg`)
  await as(db, 'theo')('update public.profiles set avatar_url = $1 where id = $2', [
    `/storage/v1/object/public/profile-photos/${face}`,
    cast.theo,
  ])
  const photo = await put('grace', 'task-photos', `${cast.grace}/${randomUUID()}.jpg`)
  const small = await put('grace', 'task-photos', photo.replace('.jpg', '.small.jpg'))
  const task = await postTask(db)
  await as(db, 'grace')('update public.tasks set photos = array[$2] where id = $1', [task, photo])
  const booking = await bookingAt(db, 'in_progress')
  const id = randomUUID()
  const sent = await put('theo', 'chat-photos', `${booking.id}/${id}.jpg`)
  const say = { id, booking_id: booking.id, sender_id: cast.theo, receiver_id: cast.grace, photo: sent }
  expect(await tryInsert(db, 'theo', 'messages', { ...say, message: '' })).toBe(null)
  /** The files to move; then moves them, as the storage service does. */
  const moved = async () => {
    const { rows } = await asService(db)('select * from public.files_to_move()')
    for (const { name, from_bucket, to_bucket } of rows)
      await owner(db)('update storage.objects set bucket_id = $3 where bucket_id = $1 and name = $2', [
        from_bucket,
        name,
        to_bucket,
      ])
    return rows.map(({ name, from_bucket, to_bucket }) => `${name} ${from_bucket} ${to_bucket}`).sort()
  }
  const all = (to: (bucket: string, name: string) => string) =>
    [
      to('chat-photos', sent),
      to('profile-photos', face),
      to('task-photos', photo),
      to('task-photos', small),
    ].sort()
  expect(await moved()).toEqual([])
  await report('sam', 'profile', cast.theo)
  await report('sam', 'task', task)
  await report('grace', 'message', id)
  const decideAll = async (hidden: boolean) => {
    const { rows } = await owner(db)('select id from public.reports order by created_at')
    for (const row of rows)
      await as(db, 'ada')('select public.decide_report($1, $2, $3)', [row.id, hidden, reason])
  }
  await owner(db)('delete from pgmq.q_effects')
  await decideAll(true)
  const queued = await owner(db)(
    `select from pgmq.q_effects where message ->> 'function' = 'run-scheduled' and message ->> 'key' = 'remove-files'`,
  )
  expect(queued.rowCount).toBe(1)
  expect(await moved()).toEqual(all((bucket, name) => `${name} ${bucket} hidden-${bucket}`))
  const open = async (person: Persona) =>
    (await as(db, person)(`select from storage.objects where bucket_id like 'hidden-%'`)).rowCount
  expect([await open('sam'), await open('anonymous'), await open('ada')]).toEqual([0, 0, 4])
  expect([await open('theo'), await open('grace')]).toEqual([0, 0])
  // Nobody puts anything under the old name meanwhile.
  await expect(put('theo', 'profile-photos', face)).rejects.toThrow(/row-level security/)
  await expect(put('grace', 'task-photos', photo)).rejects.toThrow(/row-level security/)
  await expect(put('theo', 'chat-photos', sent)).rejects.toThrow(/row-level security/)
  expect(await moved()).toEqual([])
  await decideAll(false)
  expect(await moved()).toEqual(all((bucket, name) => `${name} hidden-${bucket} ${bucket}`))
  expect(await moved()).toEqual([])
  // A hidden file that nothing shows any more is dropped.
  await decideAll(true)
  await moved()
  await owner(db)('delete from public.tasks where id = $1', [task])
  expect(await moved()).toEqual([])
  const dropped = await owner(db)('select name from private.dropped_files order by name')
  expect(dropped.rows.map(({ name }) => name)).toEqual([photo, small].sort())
})

// Photos in a chat: put there by one of the two people of a booking while they may write to each other, read by both and
// by nobody else, replaced and taken down by nobody.
import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it } from 'vitest'
import { apply, type Booking, bookingAt, move, postTask, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'

const db = databaseWithCast()
let booking: Booking
const everyone: Persona[] = ['grace', 'theo', 'ada', 'sam', 'anonymous']
const refused = /row-level security/

beforeEach(async () => {
  booking = await bookingAt(db, 'accepted')
})

const put = (person: Persona, name: string) =>
  as(db, person)(`insert into storage.objects (bucket_id, name, owner_id) values ('chat-photos', $1, $2)`, [
    name,
    person === 'anonymous' ? null : cast[person],
  ])
const nameOf = (message: string, of = booking.id) => `${of}/${message}.jpg`
/** A message of Theo's with a photo; resolves to the refusal, or null. */
const send = (id: string, photo: string, message = '') =>
  tryInsert(db, 'theo', 'messages', {
    id,
    booking_id: booking.id,
    sender_id: cast.theo,
    receiver_id: cast.grace,
    message,
    photo,
  })

it('is put into a chat by its two people, read by them, and kept as it was', async () => {
  const names: string[] = []
  for (const person of everyone) {
    const name = nameOf(randomUUID())
    if (person === 'grace' || person === 'theo') {
      await put(person, name)
      names.push(name)
    } else await expect(put(person, name)).rejects.toThrow(refused)
  }
  for (const person of everyone) {
    const { rows } = await as(db, person)(`select name from storage.objects where bucket_id = 'chat-photos'`)
    const seen = rows.map(({ name }) => name).filter((name) => names.includes(name))
    expect(seen.sort(), person).toEqual(person === 'grace' || person === 'theo' ? names.sort() : [])
    const replace = `update storage.objects set version = gen_random_uuid()::text where bucket_id = 'chat-photos'`
    expect((await as(db, person)(replace)).rowCount, person).toBe(0)
  }
  await owner(db)('alter table storage.objects disable trigger protect_objects_delete')
  for (const person of everyone)
    expect(
      (await as(db, person)(`delete from storage.objects where bucket_id = 'chat-photos'`)).rowCount,
    ).toBe(0)
  await owner(db)('alter table storage.objects enable trigger protect_objects_delete')
})

it('has a name of one form only, in a booking that is accepted', async () => {
  const pending = await bookingAt(db, 'pending')
  for (const name of [
    nameOf(randomUUID(), pending.id),
    nameOf(randomUUID(), randomUUID()),
    `${booking.id}/a.jpg`,
    `${booking.id}/${randomUUID()}.svg`,
    `${booking.id}/../${randomUUID()}.jpg`,
    `${randomUUID()}.jpg`,
  ])
    await expect(put('grace', name), name).rejects.toThrow(refused)
  const kept = nameOf(randomUUID())
  await put('grace', kept)
  await move(db, booking, cast.theo, 'cancelled')
  await expect(put('grace', nameOf(randomUUID()))).rejects.toThrow(refused)
  const { rows } = await as(db, 'theo')('select name from storage.objects where name = $1', [kept])
  expect(rows).toHaveLength(1)
})

it('goes with the message whose id it bears, from whoever put it there; the text may be empty then', async () => {
  const id = randomUUID()
  const first = 'The photo of a message must be uploaded first'
  expect(await send(id, nameOf(id))).toBe(first)
  await put('grace', nameOf(id))
  expect(await send(id, nameOf(id))).toBe(first)
  const other = randomUUID()
  await put('theo', nameOf(other))
  expect(await send(id, nameOf(other))).toBe(first)
  expect(await send(other, nameOf(other))).toBe(null)
  const bare = { booking_id: booking.id, sender_id: cast.theo, receiver_id: cast.grace, message: '' }
  expect(await tryInsert(db, 'theo', 'messages', bare)).toBe('Message cannot be empty')

  const { rows } = await as(db, 'grace')(
    'select last_message, last_has_photo from public.conversations where booking_id = $1',
    [booking.id],
  )
  expect(rows).toEqual([{ last_message: '', last_has_photo: true }])
  const notices = await as(db, 'grace')(
    `select message from public.notifications where key = 'message_received' and params ->> 'booking' = $1`,
    [booking.id],
  )
  expect(notices.rows).toEqual([{ message: 'Theo Tasker: Photo' }])
})

it('is erased with the account of whoever put it there', async () => {
  const una = await signUp(db, { name: 'Una Tasker', role: 'task_doer' })
  const hired = await apply(db, await postTask(db), una)
  await move(db, hired, cast.grace, 'accepted')
  const [hers, unas] = [nameOf(randomUUID(), hired.id), nameOf(randomUUID(), hired.id)]
  await put('grace', hers)
  await as(db, una)(
    `insert into storage.objects (bucket_id, name, owner_id) values ('chat-photos', $1, $2)`,
    [unas, una],
  )
  await move(db, hired, una, 'cancelled')
  await owner(db)('delete from auth.users where id = $1', [una])
  const { rows } = await owner(db)('select name from public.files_of_person($1, 10)', [una])
  expect(rows).toEqual([{ name: unas }])
})

it('that was never sent is removed after a day; the one of a message stays', async () => {
  const [sent, old, young] = [randomUUID(), randomUUID(), randomUUID()]
  for (const id of [sent, old, young]) await put('theo', nameOf(id))
  expect(await send(sent, nameOf(sent))).toBeNull()
  await owner(db)(
    `update storage.objects set created_at = now() - interval '25 hours' where name = any ($1)`,
    [[nameOf(sent), nameOf(old)]],
  )
  await owner(db)(`update private.photo_sweep set swept_at = now() - interval '1 day'`)
  await asService(db)('select public.run_scheduled()')
  const { rows } = await owner(db)('select name from private.dropped_files where name like $1', [
    `${booking.id}/%`,
  ])
  expect(rows).toEqual([{ name: nameOf(old) }])
})

it('can wait unsent so many times, however many were sent', async () => {
  /** As the storage service writes a row. */
  const upload = (id: string) =>
    as(db, 'theo')(
      `with service as (select set_config('storage.operation', 'storage.object.upload', true))
       insert into storage.objects (bucket_id, name, owner_id) select 'chat-photos', $1, $2 from service`,
      [nameOf(id), cast.theo],
    )
  await owner(db)(`update private.storage_quotas set unused_files = 3 where bucket_id = 'chat-photos'`)
  await owner(db)(`update storage.objects set created_at = now() - interval '3 days' where owner_id = $1`, [
    cast.theo,
  ])
  for (let nth = 0; nth < 5; nth++) {
    const id = randomUUID()
    await upload(id)
    expect(await send(id, nameOf(id))).toBeNull()
  }
  const unsent = [randomUUID(), randomUUID(), randomUUID()]
  for (const id of unsent) await upload(id)
  await expect(upload(randomUUID())).rejects.toThrow(
    'You have added 3 photos that are not used yet. Please use some of them, or try again tomorrow.',
  )
  expect(await send(unsent[0] as string, nameOf(unsent[0] as string))).toBeNull()
  await upload(randomUUID())
})

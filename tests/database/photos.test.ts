// Photos of a task, of a completion, of a complaint and of its answer: who may upload them where, who sees them, and
// when they are handed in. They are deleted together with their row.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Booking, bookingAt, postTask, refusal, tryInsert } from './lives.ts'
import { as, asService, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'

const db = databaseWithCast()
const everyone: Persona[] = ['grace', 'theo', 'ada', 'sam', 'anonymous']
const refused = /row-level security/
const GONE = 'A photo is not there any more. Please remove it and add it again.'

const nameIn = (folder: string) => `${folder}/${randomUUID()}.jpg`
const put = (person: string, bucket: string, name: string) =>
  as(db, person)('insert into storage.objects (bucket_id, name, owner_id) values ($1, $2, $3)', [
    bucket,
    name,
    person === 'anonymous' ? null : (cast[person as keyof typeof cast] ?? person),
  ])
/** Puts up so many photos and returns their names. */
async function putUp(person: string, bucket: string, folder: string, count = 1): Promise<string[]> {
  const names = Array.from({ length: count }, () => nameIn(folder))
  for (const name of names) await put(person, bucket, name)
  return names
}
const ofTask = (count = 1) => putUp('grace', 'task-photos', cast.grace, count)
const ofWork = (person: string, booking: Booking, count = 1) =>
  putUp(person, 'booking-photos', booking.id, count)
/** Which of these files there are that nobody let go of. */
const left = async (names: string[]) =>
  (
    await owner(db)(
      'select name from storage.objects where name = any($1) and not private.is_dropped_file(bucket_id, name)',
      [names],
    )
  ).rows.map(({ name }) => name)
/** Deletes as the storage service does: what the policies let that person delete. */
async function remove(person: Persona, name: string): Promise<number> {
  await owner(db)('alter table storage.objects disable trigger protect_objects_delete')
  try {
    return (await as(db, person)('delete from storage.objects where name = $1', [name])).rowCount ?? 0
  } finally {
    await owner(db)('alter table storage.objects enable trigger protect_objects_delete')
  }
}
const show = (task: string, photos: string[], person: string = 'grace') =>
  as(db, person)('update public.tasks set photos = $2 where id = $1', [task, photos])
const complete = (booking: Booking, photos: string[], person: string = 'theo') =>
  as(db, person)(`update public.bookings set status = 'completed', completion_photos = $2 where id = $1`, [
    booking.id,
    photos,
  ])
const complain = (booking: Booking, photos: string[]) =>
  tryInsert(db, 'grace', 'complaints', {
    booking_id: booking.id,
    reason: 'Half of it is still white.',
    photos,
  })

describe('a photo of a task', () => {
  it('is put up by a giver, into their own folder, under a name of one form', async () => {
    for (const person of everyone) {
      const name = nameIn(person === 'anonymous' ? cast.grace : cast[person])
      if (person === 'theo' || person === 'anonymous')
        await expect(put(person, 'task-photos', name), person).rejects.toThrow(refused)
      else await put(person, 'task-photos', name)
    }
    for (const name of [
      nameIn(cast.sam),
      nameIn(randomUUID()),
      `${cast.grace}/a.jpg`,
      `${cast.grace}/${randomUUID()}.png`,
      `${cast.grace}/${randomUUID()}.big.jpg`,
    ])
      await expect(put('grace', 'task-photos', name), name).rejects.toThrow(refused)
    await put('grace', 'task-photos', `${cast.grace}/${randomUUID()}.small.jpg`)
  })

  it('is listed by its giver and admins, and replaced by nobody', async () => {
    const [name = ''] = await ofTask()
    for (const person of everyone) {
      const { rows } = await as(db, person)('select name from storage.objects where name = $1', [name])
      expect(rows.length, person).toBe(person === 'grace' || person === 'ada' ? 1 : 0)
      const replace = 'update storage.objects set version = gen_random_uuid()::text where name = $1'
      expect((await as(db, person)(replace, [name])).rowCount, person).toBe(0)
    }
  })

  it('is taken down by its giver while no task shows it, and goes when its task lets go of it', async () => {
    const [shown = '', other = ''] = await ofTask(2)
    const small = shown.replace('.jpg', '.small.jpg')
    await put('grace', 'task-photos', small)
    const task = await postTask(db)
    await show(task, [shown])
    for (const person of everyone) {
      expect(await remove(person, shown), person).toBe(0)
      expect(await remove(person, small), person).toBe(0)
      expect(await remove(person, other), person).toBe(person === 'grace' ? 1 : 0)
    }
    const again = await postTask(db)
    await show(again, [shown])
    await show(task, [])
    expect(await left([shown])).toEqual([shown])
    await owner(db)('delete from public.tasks where id = $1', [again])
    expect(await left([shown, small])).toEqual([])
  })

  it('is nobody’s from the moment its task lets go of it, until the storage service has removed it', async () => {
    const [name = ''] = await ofTask()
    const task = await postTask(db)
    await show(task, [name])
    const listed = async () =>
      (await asService(db)('select name from public.files_to_remove()')).rows.map((file) => file.name)
    expect(await listed()).not.toContain(name)
    await show(task, [])
    const queued = `select from pgmq.q_effects where message ->> 'key' = 'remove-files'`
    expect((await owner(db)(queued)).rowCount).toBe(1)
    for (const person of everyone) {
      const seen = await as(db, person)('select from storage.objects where name = $1', [name])
      expect(seen.rowCount, person).toBe(0)
      expect(await remove(person, name), person).toBe(0)
    }
    expect(await refusal(show(task, [name]))).toBe(GONE)
    // Whoever is asked to remove it may be killed before, or right after: it is listed for as long as it is there.
    expect([await listed(), await listed()]).toEqual([
      expect.arrayContaining([name]),
      expect.arrayContaining([name]),
    ])
    await owner(db)('alter table storage.objects disable trigger protect_objects_delete')
    await owner(db)('delete from storage.objects where name = $1', [name])
    await owner(db)('alter table storage.objects enable trigger protect_objects_delete')
    await expect(put('grace', 'task-photos', name)).rejects.toThrow(refused)
    expect(await listed()).not.toContain(name)
    await expect(as(db, 'ada')('select * from public.files_to_remove()')).rejects.toThrow(/permission denied/)
  })

  it('is shown by a task of its uploader: five at most, each once, and none that is not there', async () => {
    const photos = await ofTask(6)
    const task = await postTask(db)
    const [first = ''] = photos
    await show(task, photos.slice(1))
    expect(await refusal(show(task, photos))).toBe('At most 5 photos')
    expect(await refusal(show(task, [first, first]))).toBe('Each photo can be added once')
    expect(await refusal(show(task, [nameIn(cast.grace)]))).toBe(GONE)
    const small = first.replace('.jpg', '.small.jpg')
    await put('grace', 'task-photos', small)
    expect(await refusal(show(task, [small]))).toBe(GONE)
    const [ofSam = ''] = await putUp('sam', 'task-photos', cast.sam)
    expect(await refusal(show(task, [ofSam]))).toBe(GONE)
    const nested = as(db, 'grace')('update public.tasks set photos = array[$2::text[]] where id = $1', [
      task,
      [first],
    ])
    expect(await refusal(nested)).toBe('Photos are a list of names')
    const nothing = as(db, 'grace')('update public.tasks set photos = array[null] where id = $1', [task])
    expect(await refusal(nothing)).toBe('Photos are a list of names')
    await as(db, 'grace')('update public.tasks set photos = null where id = $1', [task])
    const { rows } = await as(db, 'anonymous')('select photos from public.tasks where id = $1', [task])
    expect(rows).toEqual([{ photos: [] }])
  })

  it('waits with at most 40 files for a task', async () => {
    const giver = await signUp(db, { name: 'Una Giver', role: 'task_giver' })
    await putUp(giver, 'task-photos', giver, 40)
    await expect(put(giver, 'task-photos', nameIn(giver))).rejects.toThrow(refused)
  })
})

describe('a photo of the work', () => {
  it('is put up by both once it is paid, and seen by both and admins', async () => {
    const accepted = await bookingAt(db, 'accepted')
    const paid = await bookingAt(db, 'in_progress')
    const done = await bookingAt(db, 'completed')
    for (const [booking, people] of [
      [accepted, []],
      [paid, ['theo', 'grace']],
      [done, ['theo', 'grace']],
    ] as const) {
      for (const person of everyone) {
        const name = nameIn(booking.id)
        if (people.some((one) => one === person)) {
          await put(person, 'booking-photos', name)
          for (const reader of everyone) {
            const { rows } = await as(db, reader)('select name from storage.objects where name = $1', [name])
            expect(rows.length, reader).toBe(['grace', 'theo', 'ada'].includes(reader) ? 1 : 0)
          }
          expect(await remove(person === 'theo' ? 'grace' : 'theo', name)).toBe(0)
          expect(await remove('ada', name)).toBe(0)
          expect(await remove(person, name)).toBe(1)
        } else await expect(put(person, 'booking-photos', name), person).rejects.toThrow(refused)
      }
    }
  })

  it('is handed in with the completion, by the tasker, and stays from then on', async () => {
    const booking = await bookingAt(db, 'in_progress')
    const other = await bookingAt(db, 'in_progress')
    const photos = await ofWork('theo', booking, 6)
    const set = (person: string) =>
      as(db, person)('update public.bookings set completion_photos = $2 where id = $1', [
        booking.id,
        photos.slice(1),
      ])
    expect(await refusal(set('theo'))).toBe('Photos are added when the task is marked complete')
    expect(await refusal(complete(booking, photos))).toBe('At most 5 photos')
    expect(await refusal(complete(other, photos.slice(1)))).toBe(GONE)
    await complete(booking, photos.slice(1))
    for (const person of ['theo', 'grace'])
      expect(
        await refusal(
          as(db, person)(`update public.bookings set completion_photos = '{}' where id = $1`, [booking.id]),
        ),
      ).toBe('Photos are added when the task is marked complete')
    const { rows } = await as(db, 'grace')('select completion_photos from public.bookings where id = $1', [
      booking.id,
    ])
    expect(rows).toEqual([{ completion_photos: photos.slice(1) }])
    expect(await remove('theo', photos[1] ?? '')).toBe(0)
    expect(await remove('theo', photos[0] ?? '')).toBe(1)
  })

  it('goes with a complaint of the giver and the answer of the tasker, each with their own', async () => {
    const booking = await bookingAt(db, 'completed')
    const [hers = ''] = await ofWork('grace', booking)
    const [his = ''] = await ofWork('theo', booking)
    expect(await complain(booking, [his])).toBe(GONE)
    expect(await complain(booking, [hers])).toBe(null)
    const answer = (change: string, values: unknown[]) =>
      as(db, 'theo')(`update public.complaints set ${change} where booking_id = $1`, [booking.id, ...values])
    expect(await refusal(answer('answer_photos = $2', [[his]]))).toBe('Photos are added with the answer')
    const text = 'It snowed again at noon.'
    expect(await refusal(answer('answer = $3, answer_photos = $2', [[hers], text]))).toBe(GONE)
    await answer('answer = $3, answer_photos = $2', [[his], text])
    expect(await refusal(answer('answer_photos = $2', [[]]))).toBe('Photos are added with the answer')
    for (const person of ['grace', 'theo', 'ada'] as const) {
      const { rows } = await as(db, person)(
        'select photos, answer_photos from public.complaints where booking_id = $1',
        [booking.id],
      )
      expect(rows, person).toEqual([{ photos: [hers], answer_photos: [his] }])
      expect((await remove(person, hers)) + (await remove(person, his)), person).toBe(0)
    }
  })
})

describe('photos that belong to nothing', () => {
  it('are removed after a day', async () => {
    const [shown = '', waiting = '', young = ''] = await ofTask(3)
    await show(await postTask(db), [shown])
    const booking = await bookingAt(db, 'in_progress')
    const [loose = '', handed = ''] = await ofWork('theo', booking, 2)
    await complete(booking, [handed])
    await owner(db)(
      `update storage.objects set created_at = now() - interval '25 hours' where name = any($1)`,
      [[shown, waiting, loose, handed]],
    )
    const run = async () => {
      while ((await asService(db)('select public.run_scheduled() as done')).rows[0].done > 0);
    }
    await run()
    expect(await left([waiting])).toEqual([waiting])
    await owner(db)(`update private.photo_sweep set swept_at = now() - interval '1 day'`)
    await run()
    const all = [shown, waiting, young, loose, handed]
    expect((await left(all)).sort()).toEqual([shown, young, handed].sort())
  })

  it('are erased with the account of whoever put them up, and rows say so', async () => {
    const giver = await signUp(db, { name: 'Gwen Giver', role: 'task_giver' })
    const tasker = await signUp(db, { name: 'Tom Tasker', role: 'task_doer' })
    const booking = await bookingAt(db, 'in_progress', { giver, tasker })
    const [ofHers = '', loose = ''] = await putUp(giver, 'task-photos', giver, 2)
    await owner(db)('update public.tasks set photos = $2 where id = $1', [booking.taskId, [ofHers]])
    const [his = ''] = await ofWork(tasker, booking)
    await complete(booking, [his], tasker)
    await as(db, giver)(
      `update public.payments set escrow_status = 'released', released_at = now() where booking_id = $1`,
      [booking.id],
    )
    await owner(db)('delete from auth.users where id = $1', [giver])
    expect(await left([ofHers, loose, his])).toEqual([his])
    const { rows } = await owner(db)(
      `select t.photos, b.completion_photos from public.tasks t join public.bookings b on b.task_id = t.id where b.id = $1`,
      [booking.id],
    )
    expect(rows).toEqual([{ photos: [], completion_photos: [his] }])
  })
})

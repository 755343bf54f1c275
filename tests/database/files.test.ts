// Access to files: photos that everyone opens, identity documents that the person and admins see.
import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { as, cast, databaseWithCast, owner, type Persona, signUp } from './personas.ts'

const db = databaseWithCast()

const INSERT = 'insert into storage.objects (bucket_id, name, owner_id) values ($1, $2, $3)'
const refused = /row-level security/

const put = (person: Persona, bucket: string, name: string) =>
  as(db, person)(INSERT, [bucket, name, person === 'anonymous' ? null : cast[person]])
const seen = async (person: Persona, bucket: string) => {
  const { rows } = await as(db, person)('select name from storage.objects where bucket_id = $1', [bucket])
  return rows.map(({ name }) => name)
}
/** How many rows a change reaches. */
const change = async (person: Persona, sql: string, name: string) =>
  (await as(db, person)(sql, [name])).rowCount ?? 0
/** The same for deleting, with the guard aside that lets only the storage service delete. */
const remove = async (person: Persona, name: string) => {
  await owner(db)('alter table storage.objects disable trigger protect_objects_delete')
  try {
    return await change(person, 'delete from storage.objects where name = $1', name)
  } finally {
    await owner(db)('alter table storage.objects enable trigger protect_objects_delete')
  }
}

describe('the buckets', () => {
  it('have a quota each, but for those that the service alone writes', async () => {
    const { rows } = await owner(db)(
      `select b.id from storage.buckets b left join private.storage_quotas q on q.bucket_id = b.id where q.files is null order by 1`,
    )
    expect(rows.map(({ id }) => id)).toEqual([
      'data-exports',
      'hidden-chat-photos',
      'hidden-profile-photos',
      'hidden-task-photos',
    ])
  })

  it('are two public and seven private ones, with separate limits', async () => {
    const { rows } = await owner(db)(
      'select id, public, file_size_limit::int as size, allowed_mime_types as types from storage.buckets order by id',
    )
    expect(rows.map(({ id, public: open, size }) => ({ id, open, size }))).toEqual([
      { id: 'booking-photos', open: false, size: 5_242_880 },
      { id: 'chat-photos', open: false, size: 5_242_880 },
      { id: 'data-exports', open: false, size: 52_428_800 },
      { id: 'hidden-chat-photos', open: false, size: 5_242_880 },
      { id: 'hidden-profile-photos', open: false, size: 5_242_880 },
      { id: 'hidden-task-photos', open: false, size: 5_242_880 },
      { id: 'identity-documents', open: false, size: 10_485_760 },
      { id: 'profile-photos', open: true, size: 5_242_880 },
      { id: 'task-photos', open: true, size: 5_242_880 },
    ])
    // A drawing that may run script is no photo.
    for (const { types } of rows) expect(types).not.toContain('image/svg+xml')
  })

  it('are nobody’s to change', async () => {
    for (const person of ['grace', 'theo', 'ada', 'sam', 'anonymous'] as const) {
      const made = as(db, person)(`insert into storage.buckets (id, name) values ('mine', 'mine')`)
      await expect(made).rejects.toThrow(refused)
      const opened = await as(db, person)(`update storage.buckets set public = true`)
      expect(opened.rowCount).toBe(0)
    }
  })
})

describe.each(['profile-photos', 'identity-documents'])('%s', (bucket) => {
  it('takes a file from the person whose id its name begins with, and from nobody else', async () => {
    for (const person of ['grace', 'theo', 'sam', 'ada'] as const) {
      await put(person, bucket, `${cast[person]}/${randomUUID()}.jpg`)
    }
    for (const person of ['theo', 'sam', 'ada', 'anonymous'] as const) {
      await expect(put(person, bucket, `${cast.grace}/${randomUUID()}.jpg`)).rejects.toThrow(refused)
    }
    await expect(put('grace', bucket, `${randomUUID()}.jpg`)).rejects.toThrow(refused)
    await expect(put('grace', bucket, `x/${cast.grace}/a.jpg`)).rejects.toThrow(refused)
    await expect(put('grace', 'no-such-bucket', `${cast.grace}/a.jpg`)).rejects.toThrow(refused)
  })

  it('is listed to the person by their own files, to admins whole', async () => {
    expect(await seen('grace', bucket)).toEqual([expect.stringContaining(cast.grace)])
    expect(await seen('theo', bucket)).toEqual([expect.stringContaining(cast.theo)])
    expect((await seen('ada', bucket)).length).toBeGreaterThanOrEqual(4)
    expect(await seen('anonymous', bucket)).toEqual([])
  })

  it('lets nobody replace a public file, only the person another one, and nobody give one away', async () => {
    const name = `${cast.theo}/${randomUUID()}.png`
    await put('theo', bucket, name)
    const replace = `update storage.objects set version = gen_random_uuid()::text where name = $1`
    for (const person of ['grace', 'sam', 'ada', 'anonymous'] as const) {
      expect(await change(person, replace, name)).toBe(0)
    }
    const give = () =>
      as(db, 'theo')('update storage.objects set name = $2 where name = $1', [name, `${cast.sam}/theirs.png`])
    if (bucket === 'profile-photos') {
      expect(await change('theo', replace, name)).toBe(0)
      expect((await give()).rowCount).toBe(0)
    } else {
      expect(await change('theo', replace, name)).toBe(1)
      await expect(give()).rejects.toThrow(refused)
    }
  })

  it('lets the person and admins delete a file, and only through the storage service', async () => {
    const name = `${cast.grace}/${randomUUID()}.webp`
    await put('grace', bucket, name)
    await expect(change('grace', 'delete from storage.objects where name = $1', name)).rejects.toThrow(
      'Direct deletion from storage tables is not allowed. Use the Storage API instead.',
    )
    for (const person of ['theo', 'sam', 'anonymous'] as const) expect(await remove(person, name)).toBe(0)
    expect(await remove('grace', name)).toBe(1)
    await put('grace', bucket, name)
    expect(await remove('ada', name)).toBe(1)
  })

  it('lets go of all files of a person who leaves', async () => {
    const id = await signUp(db, { name: 'Nobody Now', role: 'task_giver' })
    await as(db, id)(INSERT, [bucket, `${id}/a.jpg`, id])
    await owner(db)('delete from auth.users where id = $1', [id])
    // The storage service removes them, bytes and all, as the job erase-account asks it to.
    const { rows } = await owner(db)('select * from public.files_of_person($1, 10)', [id])
    expect(rows).toEqual([{ bucket_id: bucket, name: `${id}/a.jpg` }])
    const queued = await owner(db)(
      `select from pgmq.q_effects where message ->> 'function' = 'erase-account' and message #>> '{body,person}' = $1`,
      [id],
    )
    expect(queued.rowCount).toBe(1)
    expect((await seen('ada', bucket)).length).toBeGreaterThan(0)
  })
})

it('a photo may carry its owner’s id before a dash', async () => {
  await put('sam', 'profile-photos', `${cast.sam}-${randomUUID()}.jpg`)
  await expect(put('sam', 'profile-photos', `${cast.theo}-${randomUUID()}.jpg`)).rejects.toThrow(refused)
  await expect(put('sam', 'identity-documents', `${cast.sam}-${randomUUID()}.jpg`)).rejects.toThrow(refused)
})

describe('a picture that was shown', () => {
  const address = (name: string) => `/storage/v1/object/public/profile-photos/${name}`
  const choose = (name: string | null) =>
    as(db, 'theo')('update public.profiles set avatar_url = $1 where id = $2', [
      name && address(name),
      cast.theo,
    ])

  it('has a name that is not used again, also once the file is gone', async () => {
    const [first, second] = [`${cast.theo}/${randomUUID()}.jpg`, `${cast.theo}/${randomUUID()}.jpg`]
    await put('theo', 'profile-photos', first)
    await put('theo', 'profile-photos', second)
    await choose(first)
    await remove('theo', first)
    await expect(put('theo', 'profile-photos', first)).rejects.toThrow(refused)
    await choose(second)
    await expect(put('theo', 'profile-photos', first)).rejects.toThrow(refused)
    await expect(choose(first)).rejects.toThrow('A photo is not there any more')
  })

  it('makes way for the next one: its file is dropped', async () => {
    const [first, second] = [`${cast.theo}/${randomUUID()}.jpg`, `${cast.theo}/${randomUUID()}.jpg`]
    await put('theo', 'profile-photos', first)
    await put('theo', 'profile-photos', second)
    await choose(first)
    await choose(second)
    const { rows } = await owner(db)('select name from private.dropped_files where name = any ($1)', [
      [first, second],
    ])
    expect(rows).toEqual([{ name: first }])
  })

  it('is one’s own in its bucket, where it is one of ours', async () => {
    const theirs = `${cast.grace}/${randomUUID()}.jpg`
    await put('grace', 'profile-photos', theirs)
    for (const wrong of [
      address(theirs),
      address(`${cast.theo}/${randomUUID()}.jpg`),
      address(`${cast.theo}/../${theirs}`),
      `/storage/v1/object/public/task-photos/${cast.theo}/${randomUUID()}.jpg`,
      `/storage/v1/render/image/public/profile-photos/${theirs}`,
      `https://project.example${address(theirs)}?again=1`,
      address(theirs).replace('/v1/', '\\v1/'),
      address(theirs).replace('/v1/', '/./v1/'),
      address(theirs).replace('storage', 'stor%61ge'),
    ]) {
      const set = as(db, 'theo')('update public.profiles set avatar_url = $1 where id = $2', [
        wrong,
        cast.theo,
      ])
      await expect(set, wrong).rejects.toThrow('A photo is not there any more')
    }
  })

  it('of a task has a name that is not used again either', async () => {
    const name = `${cast.grace}/${randomUUID()}.jpg`
    await put('grace', 'task-photos', name)
    const { rows } = await as(db, 'grace')(
      `insert into public.tasks (task_giver_id, title, description, category, location, pay_amount, photos)
       values ($1, 'Walk the dog', 'Forty minutes along the river.', 'Pet Care', 'Saskatoon', 30, array[$2]) returning id`,
      [cast.grace, name],
    )
    await as(db, 'grace')(`update public.tasks set photos = '{}' where id = $1`, [rows[0].id])
    await owner(db)(
      `set storage.allow_delete_query = 'true'; delete from storage.objects where name = '${name}'`,
    )
    await owner(db)('delete from private.dropped_files where name = $1', [name])
    for (const gone of [name, name.replace('.jpg', '.small.jpg')])
      await expect(put('grace', 'task-photos', gone)).rejects.toThrow(refused)
  })
})

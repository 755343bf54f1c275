// Meadowlark's own files, as the app sends them: a profile photo that everyone opens, and identity documents.
import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { beforeAll, expect, test } from 'vitest'
import {
  errorOf,
  forbidden,
  keptFiles,
  migrate,
  objectMissing,
} from '../../../packages/server/tests/storage/storage.ts'
import { type Person, signedIn, stranger } from '../../support/people.ts'
import { eventually } from '../../support/process.ts'
import { startStorage } from './marketplace.ts'

const { server, service } = await startStorage()
const people = {} as Record<Person, SupabaseClient>
const ids = {} as Record<Person, string>

const PHOTO = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const photo = new File([PHOTO], 'me.png', { type: 'image/png' })

beforeAll(async () => {
  for (const person of ['grace', 'theo', 'ada', 'sam'] as const) {
    people[person] = await signedIn(server, person)
    ids[person] = (await people[person].auth.getUser()).data.user?.id as string
  }
})

test('a photo is put up and opened by anyone at its public address', async () => {
  const photos = people.grace.storage.from('profile-photos')
  const path = `${ids.grace}/${Math.random()}.png`
  // As the version before puts up a photo, under a new name.
  expect((await photos.upload(path, photo, { upsert: true })).error).toBeNull()
  const answer = await fetch(photos.getPublicUrl(path).data.publicUrl)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('image/png')
  expect(Buffer.from(await answer.arrayBuffer()).equals(PHOTO)).toBe(true)
  // Nobody else can list a person's photos.
  expect((await photos.list(ids.grace)).data).toHaveLength(1)
  expect((await people.theo.storage.from('profile-photos').list(ids.grace)).data).toEqual([])
  expect((await stranger(server).storage.from('profile-photos').list(ids.grace)).data).toEqual([])
})

test('nobody puts up, replaces or takes down another person’s photo; an admin takes any down', async () => {
  const path = `${ids.grace}/kept.png`
  await people.grace.storage.from('profile-photos').upload(path, photo)
  for (const client of [people.theo, people.sam, people.ada, stranger(server)]) {
    const photos = client.storage.from('profile-photos')
    expect(errorOf((await photos.upload(`${ids.grace}/other.png`, photo)).error)).toEqual(forbidden)
    expect(errorOf((await photos.upload(path, photo, { upsert: true })).error)).toEqual(forbidden)
    if (client !== people.ada) expect((await photos.remove([path])).data).toEqual([])
  }
  expect((await people.ada.storage.from('profile-photos').remove([path])).data).toHaveLength(1)
})

test('a photo is a picture of at most 5 MiB', async () => {
  const photos = people.sam.storage.from('profile-photos')
  const refused = async (body: Blob, name: string) => (await photos.upload(`${ids.sam}/${name}`, body)).error
  const svg = new Blob(['<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'], {
    type: 'image/svg+xml',
  })
  expect(errorOf(await refused(svg, 'a.svg'))).toMatchObject({ statusCode: '415' })
  const page = new Blob(['<html><script>1</script></html>'], { type: 'image/png' })
  expect(errorOf(await refused(page, 'a.png'))).toMatchObject({ statusCode: '415' })
  const large = new Blob([PHOTO, Buffer.alloc(5 * 1024 * 1024)], { type: 'image/png' })
  expect(errorOf(await refused(large, 'b.png'))).toMatchObject({ statusCode: '413' })
})

test('a document is read by the person and by admins, and has no public address', async () => {
  const path = `${ids.theo}/licence.pdf`
  const document = new Blob(['%PDF-1.7\n%%EOF'], { type: 'application/pdf' })
  const mine = people.theo.storage.from('identity-documents')
  expect((await mine.upload(path, document)).error).toBeNull()
  expect((await mine.download(path)).error).toBeNull()
  const admins = people.ada.storage.from('identity-documents')
  expect((await admins.list(ids.theo)).data?.map(({ name }) => name)).toEqual(['licence.pdf'])
  const { data } = await admins.createSignedUrl(path, 60)
  expect((await fetch(data?.signedUrl as string)).status).toBe(200)
  for (const client of [people.grace, people.sam, stranger(server)]) {
    const theirs = client.storage.from('identity-documents')
    expect(errorOf((await theirs.download(path)).error)).toMatchObject({ statusCode: '404' })
    expect(errorOf((await theirs.createSignedUrl(path, 60)).error)).toEqual(objectMissing)
    expect((await theirs.list(ids.theo)).data).toEqual([])
  }
  expect((await fetch(mine.getPublicUrl(path).data.publicUrl)).status).toBe(400)
})

test('no address is signed by which a document could be replaced after it was handed in', async () => {
  const path = `${ids.theo}/passport.pdf`
  const mine = people.theo.storage.from('identity-documents')
  for (const upsert of [false, true]) {
    expect(errorOf((await mine.createSignedUploadUrl(path, { upsert })).error)).toEqual(forbidden)
  }
  const document = new Blob(['%PDF-1.7\n%%EOF'], { type: 'application/pdf' })
  expect((await mine.upload(path, document)).error).toBeNull()
  expect((await mine.createSignedUploadUrl(path, { upsert: true })).error).not.toBeNull()
})

test('a photo is replaced by no way of the storage service, and its name is not used again', async () => {
  const photos = people.theo.storage.from('profile-photos')
  const path = `${ids.theo}/${randomUUID()}.png`
  const other = `${ids.theo}/${randomUUID()}.png`
  expect((await photos.upload(path, photo)).error).toBeNull()
  expect((await photos.upload(other, photo)).error).toBeNull()
  const address = photos.getPublicUrl(path).data.publicUrl
  const mine = people.theo.from('profiles')
  const choose = async (url: string | null) =>
    (await mine.update({ avatar_url: url }).eq('id', ids.theo)).error?.message
  expect(await choose(new URL(address).pathname)).toBeUndefined()
  const before = await (await fetch(address)).arrayBuffer()
  const face = new File([Buffer.concat([PHOTO, Buffer.from('x')])], 'me.png', { type: 'image/png' })
  const attempts = [
    photos.upload(path, face),
    photos.upload(path, face, { upsert: true }),
    photos.update(path, face),
    photos.move(other, path),
    photos.copy(other, path),
    photos.createSignedUploadUrl(path, { upsert: true }),
    photos.createSignedUploadUrl(`${ids.theo}/${randomUUID()}.png`),
  ]
  for (const { error } of await Promise.all(attempts)) expect(error).not.toBeNull()
  for (const upsert of ['false', 'true'])
    expect(await resumable(path, face, upsert), upsert).toBeGreaterThanOrEqual(400)
  expect(Buffer.from(await (await fetch(address)).arrayBuffer()).equals(Buffer.from(before))).toBe(true)
  // Nor is it taken down and put up again.
  expect((await photos.remove([path])).data).toHaveLength(1)
  expect(errorOf((await photos.upload(path, face)).error)).toEqual(forbidden)
  expect(errorOf((await photos.upload(path, face, { upsert: true })).error)).toEqual(forbidden)
  expect(errorOf((await photos.copy(other, path)).error)).toEqual(forbidden)
  expect(errorOf((await photos.move(other, path)).error)).not.toBeNull()
  expect(await resumable(path, face, 'false')).toBeGreaterThanOrEqual(400)
  expect(await choose(null)).toBeUndefined()
  expect(await choose(new URL(address).pathname)).toMatch(/^A photo is not there any more/)
})

/** The status of the request that ends a resumable upload of Theo's: its creation, or where that succeeds its last piece. */
async function resumable(path: string, body: File, upsert: string): Promise<number> {
  const { data } = await people.theo.auth.getSession()
  const encoded = (text: string) => Buffer.from(text).toString('base64')
  const headers = {
    authorization: `Bearer ${data.session?.access_token}`,
    'tus-resumable': '1.0.0',
    'x-upsert': upsert,
  }
  const created = await fetch(`${server.url}/storage/v1/upload/resumable`, {
    method: 'POST',
    headers: {
      ...headers,
      'upload-length': String(body.size),
      'upload-metadata': `bucketName ${encoded('profile-photos')},objectName ${encoded(path)},contentType ${encoded('image/png')}`,
    },
  })
  if (created.status !== 201) return created.status
  const sent = await fetch(created.headers.get('location') as string, {
    method: 'PATCH',
    headers: { ...headers, 'upload-offset': '0', 'content-type': 'application/offset+octet-stream' },
    body,
  })
  return sent.status
}

test('a hidden photo leaves its public addresses, and comes back when it is shown again', async () => {
  const photos = people.grace.storage.from('profile-photos')
  const path = `${ids.grace}/${randomUUID()}.png`
  expect((await photos.upload(path, photo)).error).toBeNull()
  const address = photos.getPublicUrl(path).data.publicUrl
  const signed = (await photos.createSignedUrl(path, 3600)).data?.signedUrl as string
  const resized = `${address.replace('/object/', '/render/image/')}?width=1`
  const addresses = [address, signed, resized]
  const statuses = () => Promise.all(addresses.map(async (each) => (await fetch(each)).status))
  await people.grace
    .from('profiles')
    .update({ avatar_url: new URL(address).pathname })
    .eq('id', ids.grace)
  expect(await statuses()).toEqual([200, 200, 200])
  // Sam sees Grace by her open task.
  await people.grace
    .from('tasks')
    .insert({
      task_giver_id: ids.grace,
      title: 'Clear the driveway',
      category: 'Snow Removal',
      description: 'Two cars wide, and the walk to the door.',
      location: 'Saskatoon',
      pay_amount: 100,
    })
    .throwOnError()
  const reason = 'This is an advertisement.'
  await people.sam.rpc('report_content', { kind: 'profile', subject: ids.grace, reason }).throwOnError()
  const { rows } = await server.database.pool.query('select id from public.reports where subject_id = $1', [
    ids.grace,
  ])
  const decide = (hide: boolean) =>
    people.ada.rpc('decide_report', { report_id: rows[0].id, hide, note: reason }).throwOnError()
  await decide(true)
  await eventually(async () => (await statuses()).every((status) => status >= 400))
  expect((await people.sam.storage.from('hidden-profile-photos').download(path)).error).not.toBeNull()
  const kept = await people.ada.storage.from('hidden-profile-photos').download(path)
  expect(Buffer.from((await kept.data?.arrayBuffer()) as ArrayBuffer).equals(PHOTO)).toBe(true)
  // Also where its person has filled the bucket meanwhile.
  const quota = (files: number) =>
    server.database.pool.query(
      `update private.storage_quotas set files = $1, new_files = $1 where bucket_id = 'profile-photos'`,
      [files],
    )
  await quota(1)
  await decide(false)
  await eventually(async () => (await statuses()).every((status) => status === 200))
  await quota(20)
})

test('whoever leaves takes their files along', async () => {
  const files = await keptFiles(server)
  const path = `${ids.sam}/gone.png`
  await people.sam.storage.from('profile-photos').upload(path, photo)
  const { publicUrl } = people.sam.storage.from('profile-photos').getPublicUrl(path).data
  expect((await fetch(publicUrl)).status).toBe(200)
  expect((await service.auth.admin.deleteUser(ids.sam)).error).toBeNull()
  // By a job, through the storage service, which on hosted Supabase is the only way to the bytes.
  await eventually(async () => (await fetch(publicUrl)).status === 400)
  expect((await keptFiles(server)).length).toBeLessThanOrEqual(files.length + 1)
})

test('a photo that its task lets go of goes at the storage service’s next try, bytes and row', async () => {
  const photos = people.grace.storage.from('task-photos')
  const names = Array.from({ length: 3 }, () => `${ids.grace}/${randomUUID()}.jpg`)
  const before = (await keptFiles(server)).length
  const jpeg = new Blob([Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 1, 2, 3])], { type: 'image/jpeg' })
  for (const name of names) expect((await photos.upload(name, jpeg)).error).toBeNull()
  // Stands in for a service that is killed in the middle: of three, it cannot remove the last one.
  await server.database.pool.query(`
    create function public.interrupt() returns trigger language plpgsql as $$
    begin raise exception 'interrupted'; end $$;
    create trigger interrupt before delete on storage.objects for each row
    when (old.name = '${names[2]}') execute function public.interrupt()`)
  const drop = (some: string[]) =>
    server.database.pool.query(`select private.drop_files('task-photos', $1)`, [some])
  const work = () =>
    fetch(`${server.url}/functions/v1/run-scheduled`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.secretKey}` },
      body: '{}',
    })
  const rows = async (table: string) =>
    (await server.database.pool.query(`select name from ${table} where name = any($1)`, [names])).rowCount

  await drop(names.slice(0, 2))
  expect((await work()).status).toBe(200)
  await eventually(async () => (await rows('storage.objects')) === 1)
  await drop(names)
  expect((await work()).status).toBe(502)
  expect([await rows('storage.objects'), await rows('private.dropped_files')]).toEqual([1, 1])
  const listed = (await photos.list(ids.grace)).data?.map(({ name }) => `${ids.grace}/${name}`)
  expect(listed).not.toContain(names[2])

  await migrate(
    server,
    'reset role; drop trigger interrupt on storage.objects; drop function public.interrupt()',
  )
  expect((await work()).status).toBe(200)
  expect([await rows('storage.objects'), await rows('private.dropped_files')]).toEqual([0, 0])
  await eventually(async () => (await keptFiles(server)).length === before)
})

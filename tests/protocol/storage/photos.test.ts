// Meadowlark's own files, as the app sends them: a profile photo that everyone opens, and identity documents.
import { randomUUID } from 'node:crypto'
import type { SupabaseClient } from '@supabase/supabase-js'
import { beforeAll, expect, test } from 'vitest'
import { type Person, signedIn, stranger } from '../../support/people.ts'
import { eventually } from '../../support/process.ts'
import { errorOf, forbidden, keptFiles, migrate, objectMissing, startStorage } from './storage.ts'

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

test('a photo is put up, replaced, and opened by anyone at its public address', async () => {
  const photos = people.grace.storage.from('profile-photos')
  const path = `${ids.grace}/${Math.random()}.png`
  expect((await photos.upload(path, photo, { upsert: true })).error).toBeNull()
  expect((await photos.upload(path, photo, { upsert: true })).error).toBeNull()
  const answer = await fetch(photos.getPublicUrl(path).data.publicUrl)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('image/png')
  expect(Buffer.from(await answer.arrayBuffer()).equals(PHOTO)).toBe(true)
  // Whose photos there are is nobody else's to list.
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
  const photos = people.theo.storage.from('profile-photos')
  expect((await photos.createSignedUploadUrl(`${ids.theo}/a.png`)).error).toBeNull()
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

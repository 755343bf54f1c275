// Quotas on a person's files and bytes in a bucket: concurrent uploads, uploads through signed URLs, replacements, copies and
// moves.

import { beforeAll, beforeEach, expect, test } from 'vitest'
import { errorOf } from '../../../packages/server/tests/storage/storage.ts'
import { together } from '../../../packages/server/tests/support/together.ts'
import { makeAccount } from '../../support/people.ts'
import { startStorage } from './marketplace.ts'

const BUCKET = 'quota'
const { server, service, grace } = await startStorage({ open: [BUCKET] })
const sql = (text: string, values: unknown[] = []) => server.database.pool.query(text, values)
const files = grace.storage.from(BUCKET)
const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(996, 1)])
let headers: Record<string, string>

beforeAll(async () => {
  const { data } = await grace.auth.getSession()
  headers = {
    apikey: server.publishableKey,
    authorization: `Bearer ${data.session?.access_token}`,
    'content-type': 'image/jpeg',
  }
})
beforeEach(async () => {
  const { data } = await service.storage.from(BUCKET).list()
  if (data?.length) await service.storage.from(BUCKET).remove(data.map(({ name }) => name))
  await sql(
    `insert into private.storage_quotas (bucket_id, files, bytes, new_files, new_bytes)
     values ($1, 8, 100000, 4, 1048576) on conflict (bucket_id) do update
     set files = 8, bytes = 100000, new_files = 4, new_bytes = 1048576`,
    [BUCKET],
  )
})

const stored = async () => (await service.storage.from(BUCKET).list()).data?.length
const full = 'You have stored 4 files here, as many as your account can. Please remove some first.'
const many = (count: number, path: (nth: number) => string) =>
  Array.from({ length: count }, (_, nth) => ({ path: path(nth), headers, body: JPEG }))

test('30 uploads of the same moment store as many as the quota has', async () => {
  const answers = await together(
    server.url,
    many(30, (nth) => `/storage/v1/object/${BUCKET}/${nth}.jpg`),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
  const refused = answers.filter(({ status }) => status !== 200)
  expect(
    refused.every(
      ({ json }) => json.message === full && json.statusCode === '403' && json.code === 'file.too_many',
    ),
  ).toBe(true)
  expect(await stored()).toBe(4)
  // Replacing one, and putting one in the place of another, is no more than before.
  const [{ name = '' } = {}] = (await files.list()).data ?? []
  expect((await files.upload(name, JPEG, { upsert: true, contentType: 'image/jpeg' })).error).toBeNull()
  expect((await files.move(name, 'other.jpg')).error).toBeNull()
  expect(errorOf((await files.copy('other.jpg', 'copy.jpg')).error)).toMatchObject({ message: full })
  await files.remove(['other.jpg'])
  expect((await files.upload('fifth.jpg', JPEG, { contentType: 'image/jpeg' })).error).toBeNull()
})

test('so do 30 through signed addresses', async () => {
  const signed = await Promise.all(
    Array.from({ length: 30 }, async (_, nth) => (await files.createSignedUploadUrl(`${nth}.jpg`)).data),
  )
  const answers = await together(
    server.url,
    signed.map((each) => ({
      method: 'PUT',
      path: `/storage/v1/object/upload/sign/${BUCKET}/${each?.path}?token=${each?.token}`,
      headers,
      body: JPEG,
    })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(4)
  expect(await stored()).toBe(4)
})

test('bytes count too, also those that replace fewer', async () => {
  await sql('update private.storage_quotas set new_bytes = 1048576, bytes = 1048576 where bucket_id = $1', [
    BUCKET,
  ])
  const large = Buffer.concat([JPEG, Buffer.alloc(600_000)])
  const put = (name: string, body: Buffer) =>
    files.upload(name, body, { upsert: true, contentType: 'image/jpeg' })
  expect((await put('a.jpg', large)).error).toBeNull()
  expect((await put('b.jpg', JPEG)).error).toBeNull()
  const tooMany = {
    message:
      'Your files here would take more than 1 MB, as much as your account can store. Please remove some first.',
  }
  expect((await put('b.jpg', large)).error).toMatchObject(tooMany)
  expect((await put('a.jpg', large)).error).toBeNull()
  expect((await put('c.jpg', large)).error).toMatchObject(tooMany)
  expect(await stored()).toBe(2)
})

test('an account of some days has more room, the service no quota', async () => {
  await sql(`update private.profiles set created_at = now() - interval '4 days' where id = $1`, [
    await makeAccount(server, 'grace'),
  ])
  const answers = await together(
    server.url,
    many(12, (nth) => `/storage/v1/object/${BUCKET}/${nth}.jpg`),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(8)
  for (let nth = 0; nth < 3; nth++)
    expect(
      (await service.storage.from(BUCKET).upload(`s${nth}.jpg`, JPEG, { contentType: 'image/jpeg' })).error,
    ).toBeNull()
  expect(await stored()).toBe(11)
})

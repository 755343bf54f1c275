// A person's data export through the real server: requested as the browser does, made by its job from rows and files,
// and downloaded by its owner. It is removed when its time is over or its owner has left.
import { strFromU8, unzipSync } from 'fflate'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signedIn } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { soon } from './paid-job.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const picture = Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0x00, 0x10, 1, 2, 3])
const call = (name: string, body: object, key = server.secretKey) =>
  fetch(`${server.url}/functions/v1/${name}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
const stored = async () =>
  (await server.database.pool.query(`select name from storage.objects where bucket_id = 'data-exports'`)).rows

it('a request becomes a zip file of rows and files that its owner downloads, until its time is over', async () => {
  const grace = await signedIn(server, 'grace')
  const me = (await grace.auth.getUser()).data.user?.id ?? ''
  const photo = `${me}/portrait.jpg`
  const upload = await grace.storage
    .from('profile-photos')
    .upload(photo, picture, { contentType: 'image/jpeg' })
  expect(upload.error).toBeNull()
  await grace.rpc('request_data_export').throwOnError()

  const latest = async () => (await grace.from('data_exports').select().single().throwOnError()).data
  await expect.poll(latest, soon).toMatchObject({ status: 'ready', files: [expect.stringContaining(me)] })
  const [file] = (await latest()).files
  const { data, error } = await grace.storage.from('data-exports').download(file)
  expect(error).toBeNull()
  const zip = unzipSync(new Uint8Array((await data?.arrayBuffer()) ?? new ArrayBuffer(0)))
  expect(Buffer.from(zip[`files/profile-photos/${photo}`] ?? [])).toEqual(picture)
  expect(JSON.parse(strFromU8(zip['data/account.json'] ?? new Uint8Array()))).toMatchObject([
    { email: 'grace@example.com' },
  ])
  expect(JSON.parse(strFromU8(zip['data/profile.json'] ?? new Uint8Array()))).toMatchObject([
    { full_name: 'Grace' },
  ])
  expect((await latest()).size).toBe(data?.size)

  // An address for a moment is the owner's to make, and nobody else's.
  const address = await grace.storage.from('data-exports').createSignedUrl(file, 60, { download: 'data.zip' })
  const response = await fetch(address.data?.signedUrl ?? '')
  expect(response.headers.get('content-disposition')).toContain('data.zip')
  await response.body?.cancel()
  for (const person of ['theo', 'ada'] as const) {
    const other = (await signedIn(server, person)).storage.from('data-exports')
    expect((await other.download(file)).error).not.toBeNull()
    expect((await other.createSignedUrl(file, 60)).error).not.toBeNull()
  }

  await server.database.pool.query('update public.data_exports set expires_at = now()')
  expect((await grace.storage.from('data-exports').download(file)).error).not.toBeNull()
  expect((await call('run-scheduled', {})).status).toBe(200)
  expect(await latest()).toMatchObject({ status: 'expired', files: [] })
  expect(await stored()).toEqual([])
})

it('nobody but the secret key makes one, and what is not waited for leaves no file', async () => {
  const { rows } = await server.database.pool.query('select id from public.data_exports limit 1')
  expect((await call('export-data', { export_id: rows[0].id }, server.publishableKey)).status).toBe(401)
  expect((await call('export-data', { export_id: 'x' })).status).toBe(400)
  const answer = await call('export-data', { export_id: rows[0].id })
  expect(await answer.json()).toEqual({ action: 'none' })
  expect(await stored()).toEqual([])
})

it('an account’s end takes its export along', async () => {
  const theo = await signedIn(server, 'theo')
  await theo.rpc('request_data_export').throwOnError()
  await expect.poll(async () => (await stored()).length, soon).toBe(1)
  await theo.rpc('delete_account', { confirmation: 'theo@example.com' }).throwOnError()
  await expect.poll(stored, soon).toEqual([])
})

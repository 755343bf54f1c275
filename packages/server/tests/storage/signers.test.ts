// The address of an upload is worth no more than the right of whoever signed it, at the moment it is used.
import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import type { SupabaseClient } from '@supabase/supabase-js'
import { expect, test } from 'vitest'
import { eventually } from '../support/eventually.ts'
import { makeAccount, type Person, signedIn, stranger } from '../support/people.ts'
import { encoded } from './resumable.ts'
import { bare, errorOf, forbidden, migrate, startStorage } from './storage.ts'

const { server, service } = await startStorage({ open: ['yard'] })

const sql = (text: string, values: unknown[] = []) => server.database.pool.query(text, values)
const ended = {
  status: 400,
  statusCode: '403',
  message: 'The account that signed this address may no longer upload',
}

async function address(client: SupabaseClient, name: string): Promise<string> {
  const { data, error } = await client.storage.from('yard').createSignedUploadUrl(name)
  if (error) throw error
  return data.token
}
const put = (name: string, token: string) =>
  stranger(server).storage.from('yard').uploadToSignedUrl(name, token, 'hay')
const kept = async (name: string) =>
  (await sql('select owner_id from storage.objects where name = $1', [name])).rows

/** An account of that person that nobody else in this file uses. */
async function once(person: Person): Promise<{ id: string; client: SupabaseClient }> {
  const id = await makeAccount(server, person)
  return { id, client: await signedIn(server, person) }
}

test('ends with a ban, and comes back with its end', async () => {
  const { id, client } = await once('theo')
  const token = await address(client, 'banned')
  await service.auth.admin.updateUserById(id, { ban_duration: '1h' })
  expect(errorOf((await put('banned', token)).error)).toEqual(ended)
  expect(await kept('banned')).toEqual([])
  // Nor is another one signed, for as long as an access token still lasts.
  expect(errorOf((await client.storage.from('yard').createSignedUploadUrl('again')).error)).toEqual(ended)
  await service.auth.admin.updateUserById(id, { ban_duration: 'none' })
  expect((await put('banned', token)).error).toBeNull()
  expect(await kept('banned')).toEqual([{ owner_id: id }])
})

test.each([
  ['deleted', false],
  ['deleted for show', true],
])('ends with an account that is %s, also for an upload that is under way', async (name, softly) => {
  const { id, client } = await once('sam')
  const token = await address(client, name)
  const resumable = (method: string, url: string, headers: Record<string, string>, body?: string) =>
    fetch(new URL(url, server.url), {
      method,
      headers: { 'tus-resumable': '1.0.0', 'x-signature': token, ...headers },
      ...(body !== undefined && { body }),
    })
  const begun = await resumable('POST', '/storage/v1/upload/resumable/sign', {
    'upload-length': '6',
    'upload-metadata': encoded({ bucketName: 'yard', objectName: name, contentType: 'text/plain' }),
  })
  expect(begun.status).toBe(201)
  const place = begun.headers.get('location') as string
  const piece = (offset: number) =>
    resumable(
      'PATCH',
      place,
      { 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' },
      'hay',
    )
  expect((await piece(0)).status).toBe(204)
  const { error } = await service.auth.admin.deleteUser(id, softly)
  expect(error).toBeNull()
  const refused = await piece(3)
  expect([refused.status, await refused.text()]).toEqual([403, ended.message])
  expect(errorOf((await put(name, token)).error)).toEqual(ended)
  expect(await kept(name)).toEqual([])
  await sql('delete from auth.users where id = $1', [id])
})

test('ends while the bytes are on their way', async () => {
  const { id, client } = await once('sam')
  const token = await address(client, 'slow')
  const incoming = `${server.services.config.dataDir}/storage/incoming`
  let send: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      send = controller
      controller.enqueue(Buffer.from('hay'))
    },
  })
  const answer = bare(server, `/object/upload/sign/yard/slow?token=${token}`, {
    method: 'PUT',
    key: null,
    body,
  })
  await eventually(async () => (await readdir(incoming)).length > 0)
  await service.auth.admin.deleteUser(id)
  send?.close()
  expect(await (await answer).json()).toMatchObject({ statusCode: '403' })
  expect(await kept('slow')).toEqual([])
})

test('ends with the right to put the object there', async () => {
  const { id, client } = await once('grace')
  await service.storage.createBucket('guild')
  await migrate(
    server,
    `create policy "guild" on storage.objects for insert to authenticated with check (
       bucket_id = 'guild' and auth.jwt() -> 'app_metadata' ->> 'guild' = 'yes'
         and auth.jwt() ->> 'email' = 'grace@example.com'
         and storage.allow_only_operation('object.sign_upload_url')
     )`,
  )
  await service.auth.admin.updateUserById(id, { app_metadata: { guild: 'yes' } })
  const { error } = await client.auth.refreshSession()
  expect(error).toBeNull()
  const signed = await client.storage.from('guild').createSignedUploadUrl('seal')
  const token = signed.data?.token as string
  // The address contains no claims that the account itself has.
  const said = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
  expect(Object.keys(said.signer.claims)).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/email|metadata|phone/)]),
  )
  const seal = () => stranger(server).storage.from('guild').uploadToSignedUrl('seal', token, 'wax')
  await service.auth.admin.updateUserById(id, { app_metadata: { guild: 'no' } })
  expect(errorOf((await seal()).error)).toEqual(forbidden)
  await service.auth.admin.updateUserById(id, { app_metadata: { guild: 'yes' } })
  expect((await seal()).error).toBeNull()
})

test('claims that the account no longer has last as long as the access token that still has them', async () => {
  const { id, client } = await once('grace')
  await service.auth.admin.updateUserById(id, { app_metadata: { guild: 'no' } })
  const { data } = await client.auth.getSession()
  const token = await address(client, 'stale')
  const claims = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString())
  expect(claims.exp).toBeLessThanOrEqual(data.session?.expires_at as number)
  expect((await put('stale', token)).error).toBeNull()
})

test('of the service, and of somebody whose account is elsewhere, needs none here', async () => {
  const byService = await address(service, 'service')
  expect((await put('service', byService)).error).toBeNull()
  const sub = randomUUID()
  await migrate(
    server,
    `create policy "guests" on storage.objects for insert to anon with check (bucket_id = 'yard')`,
  )
  const claims = { role: 'anon', sub, exp: Math.floor(Date.now() / 1000) + 60 }
  const authorization = `Bearer ${await server.services.keys.sign(claims)}`
  const signed = await bare(server, '/object/upload/sign/yard/elsewhere', {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{}',
  })
  const { token } = (await signed.json()) as { token: string }
  expect((await put('elsewhere', token)).error).toBeNull()
  expect(await kept('elsewhere')).toEqual([{ owner_id: sub }])
})

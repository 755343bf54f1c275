// The application's rule about second factors, through every service. A token from before the second step opens
// nothing that is a person's. A recovery code helps people who have lost the device.

import type { SupabaseClient } from '@supabase/supabase-js'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetUsedCodes, signIn } from '../../../packages/server/tests/auth/people.ts'
import { makeAccount, stranger } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server?.stop())

/** Signs in with the password alone, after this person's authenticator app was proved elsewhere. */
async function halfSignedIn(person: 'grace' | 'theo' | 'ada') {
  const id = await makeAccount(server, person)
  const { client: owner } = await signIn(server, `${person}@example.com`)
  const { data } = await owner.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' })
  const factorId = data?.id as string
  const code = () => new TOTP({ secret: Secret.fromBase32(data?.totp?.secret as string) }).generate()
  const { error } = await owner.auth.mfa.challengeAndVerify({ factorId, code: code() })
  if (error) throw error
  await forgetUsedCodes(server)
  const { client, session } = await signIn(server, `${person}@example.com`)
  return { id, owner, client, session, factorId, code }
}

const roleOf = async (client: SupabaseClient) => (await client.auth.getClaims()).data?.claims.role

test('before the second step the Data API, storage, realtime and functions take the token for a stranger’s', async () => {
  const { id, client, session, factorId, code } = await halfSignedIn('grace')
  expect(await roleOf(client)).toBe('anon')
  // The token that a refresh brings is no better.
  await client.auth.refreshSession()
  expect(await roleOf(client)).toBe('anon')

  for (const table of ['profiles', 'notifications', 'bookings', 'payments', 'messages', 'user_roles']) {
    const { error } = await client.from(table).select('*')
    expect([table, error?.code]).toEqual([table, '42501'])
  }
  const renamed = await client.from('profiles').update({ full_name: 'Sam' }).eq('id', id)
  expect(renamed.error?.code).toBe('42501')
  for (const name of ['list_sessions', 'end_other_sessions', 'make_recovery_codes', 'my_action_items'])
    expect([name, (await client.rpc(name)).error?.code]).toEqual([name, '42501'])
  const deletion = await client.rpc('delete_account', { confirmation: 'grace@example.com' })
  expect(deletion.error?.code).toBe('42501')

  const picture = new Blob([new Uint8Array(8)], { type: 'image/png' })
  const stored = await client.storage.from('profile-photos').upload(`${id}/face.png`, picture)
  expect(stored.error?.message).toMatch(/row-level security/)
  const called = await client.functions.invoke('create-setup-intent', { body: {} })
  expect(called.response?.status).toBe(401)

  await client.realtime.setAuth()
  const joined = await new Promise((resolve) => {
    client.channel(`account:${id}`, { config: { private: true } }).subscribe(resolve)
  })
  expect(joined).toBe('CHANNEL_ERROR')
  await client.removeAllChannels()

  const changed = await client.auth.updateUser({ password: 'Meadowlark9' })
  expect(changed.error?.code).toBe('insufficient_aal')

  // The second step opens all of it.
  const { error } = await client.auth.mfa.challengeAndVerify({ factorId, code: code() })
  expect(error).toBeNull()
  expect(await roleOf(client)).toBe('authenticated')
  expect((await client.from('profiles').select('id')).data).toEqual([{ id }])
  // And the token from before it stays what it was.
  const old = stranger(server)
  const { status } = await old
    .from('profiles')
    .select('id')
    .setHeader('authorization', `Bearer ${session.access_token}`)
  expect(status).toBe(401)
})

test('an admin who has a second factor is none before it is proved', async () => {
  const { client, factorId, code } = await halfSignedIn('ada')
  expect((await client.rpc('find_people', { query: '' })).error).not.toBeNull()
  await client.auth.mfa.challengeAndVerify({ factorId, code: code() })
  expect((await client.rpc('second_factor_demanded')).data).toBe(false)
})

test('a recovery code signs in who has lost the device, and the rest is signed out', async () => {
  const { owner, client } = await halfSignedIn('theo')
  const { data: codes } = await owner.rpc('make_recovery_codes')
  const use = (code: string, headers = {}) =>
    Object.entries(headers).reduce(
      (request, [name, value]) => request.setHeader(name, String(value)),
      client.rpc('use_recovery_code', { code }),
    )
  // No way around the count.
  const taken = await use('0000-0000-0000-0000', { prefer: 'return=minimal, tx=rollback' })
  expect(taken.error?.message).toMatch(/cannot be tried with Prefer: tx=rollback/)
  expect((await client.rpc('use_recovery_code', { code: '0' }, { get: true })).error).not.toBeNull()
  expect((await use('0000-0000-0000-0000')).data).toBe(false)
  const { rows } = await server.database.pool.query('select tries from private.recovery_tries')
  expect(rows).toEqual([{ tries: 1 }])
  for (let n = 0; n < 9; n++) await use('0000-0000-0000-0000')
  const late = await use(codes[0])
  expect([late.status, late.error?.message]).toEqual([
    429,
    'Too many attempts. Wait five minutes before you try again.',
  ])
  await server.database.pool.query('delete from private.recovery_tries')

  expect((await use(codes[0])).data).toBe(true)
  await client.auth.refreshSession()
  expect(await roleOf(client)).toBe('authenticated')
  expect((await client.auth.mfa.listFactors()).data?.all).toEqual([])
  expect((await owner.auth.getUser()).error).not.toBeNull()
})

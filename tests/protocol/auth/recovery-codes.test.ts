// One recovery code for several sign-ins, and new codes before the second step.

import type { SupabaseClient } from '@supabase/supabase-js'
import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newPerson, signIn } from '../../../packages/server/tests/auth/people.ts'
import type { TestServer } from '../../support/server.ts'
import { authServer } from './marketplace.ts'

let server: TestServer
beforeAll(async () => {
  server = await authServer({ more: '[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true\n' })
})
afterAll(() => server?.stop())

/** Somebody with an authenticator app and recovery codes, and also sign-ins by password alone. */
async function withSecondFactor(email: string, signIns: number) {
  await newPerson(server, email)
  const { client: owner } = await signIn(server, email)
  const { data } = await owner.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' })
  const code = new TOTP({ secret: Secret.fromBase32(data?.totp?.secret as string) }).generate()
  const { error } = await owner.auth.mfa.challengeAndVerify({ factorId: data?.id as string, code })
  if (error) throw error
  const codes = (await owner.rpc('make_recovery_codes').throwOnError()).data as string[]
  const half: SupabaseClient[] = []
  for (let nth = 0; nth < signIns; nth++) half.push((await signIn(server, email)).client)
  return { codes, half }
}

describe('a recovery code at the same moment', () => {
  const use = (client: SupabaseClient, code: string | undefined) => client.rpc('use_recovery_code', { code })

  test('in several sign-ins lets one in', async () => {
    const { half, codes } = await withSecondFactor('grace+race@example.com', 6)
    const answers = await Promise.all(half.map((client) => use(client, codes[0])))
    expect(answers.filter(({ data }) => data === true)).toHaveLength(1)
    const alive = await Promise.all(half.map(async (client) => (await client.auth.getUser()).error === null))
    expect(alive).toEqual(answers.map(({ data }) => data === true))
  })

  test('as another one is used up alone, and ends nobody who came in by the first', async () => {
    const { half, codes } = await withSecondFactor('grace+two@example.com', 6)
    const answers = await Promise.all(half.map((client, nth) => use(client, codes[nth])))
    expect(answers.filter(({ data }) => data === true)).toHaveLength(1)
    const { rows } = await server.database.pool.query(
      `select count(*)::int as used from public.notifications where key = 'recovery_code_used'
         and user_id = (select id from auth.users where email = 'grace+two@example.com')`,
    )
    expect(rows).toEqual([{ used: 1 }])
  })
})

test('before the second step nobody gets new codes', async () => {
  const { half } = await withSecondFactor('grace+aal@example.com', 1)
  expect((await (half[0] as SupabaseClient).rpc('make_recovery_codes')).error).not.toBeNull()
})

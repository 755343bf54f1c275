// Sign-ins by somebody else's word, where they are switched off; and identities, which people may give up.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson } from './people.ts'
import { authServer, nextMessage, raw } from './project.ts'

let server: TestServer
let linking: TestServer

beforeAll(async () => {
  ;[server, linking] = await Promise.all([
    authServer(),
    authServer({
      auth: 'enable_manual_linking = true',
      sms: 'enable_signup = true\nenable_confirmations = true\nmax_frequency = "0s"',
    }),
  ])
})
afterAll(() => Promise.all([server?.stop(), linking?.stop()]))

const shown = (error: { status?: number; code?: string; message: string } | null) => [
  error?.status,
  error?.code,
  error?.message,
]

describe('a disabled provider is reported as such, as on Supabase', () => {
  test('OAuth providers', async () => {
    const open = async (provider: string) => {
      const { data } = await stranger(server).auth.signInWithOAuth({
        provider: provider as 'google',
        options: { skipBrowserRedirect: true },
      })
      const { status, json } = await raw(server, (data.url as string).slice(`${server.url}/auth/v1`.length), {
        headers: { apikey: '' },
      })
      return [status, json.error_code, json.msg]
    }
    expect(await open('google')).toEqual([
      400,
      'validation_failed',
      'Unsupported provider: provider is not enabled',
    ])
    expect(await open('mead')).toEqual([
      400,
      'validation_failed',
      'Unsupported provider: Provider mead could not be found',
    ])
  })

  test('ID tokens, single sign-on and wallets', async () => {
    const { auth } = stranger(server)
    const google = await auth.signInWithIdToken({ provider: 'google', token: 'x' })
    expect(shown(google.error)).toEqual([
      400,
      'provider_disabled',
      'Provider (issuer "https://accounts.google.com") is not enabled',
    ])
    const other = await auth.signInWithIdToken({ provider: 'mead', token: 'x' })
    expect(shown(other.error)).toEqual([400, 'validation_failed', 'Custom OIDC provider "mead" not allowed'])
    const sso = await auth.signInWithSSO({ domain: 'example.com' })
    expect(shown(sso.error)).toEqual([404, 'saml_provider_disabled', 'SAML 2.0 is disabled'])
    const web3 = await auth.signInWithWeb3({ chain: 'solana', message: 'x', signature: new Uint8Array(64) })
    expect(shown(web3.error)).toEqual([422, 'web3_provider_disabled', 'Web3 provider is disabled'])
  })

  test('linking by hand', async () => {
    const { client } = await newPerson(server, 'grace+linking@example.com')
    const off = [404, 'manual_linking_disabled', 'Manual linking is disabled']
    const linked = await client.auth.linkIdentity({
      provider: 'google',
      options: { skipBrowserRedirect: true },
    })
    expect(shown(linked.error)).toEqual(off)
    const { data } = await client.auth.getUserIdentities()
    const [identity] = data?.identities ?? []
    if (!identity) throw new Error('no identity')
    expect(shown((await client.auth.unlinkIdentity(identity)).error)).toEqual(off)
  })
})

describe('where identities may be given up', () => {
  test('one of two is, with its address, and never the last', async () => {
    const { client } = await newPerson(linking, 'grace+unlink@example.com')
    const phone = '+13065550177'
    const seen = await linking.inbox()
    expect((await client.auth.updateUser({ phone })).error).toBeNull()
    const { text } = await nextMessage(linking, phone, seen)
    const code = /\d{6}/.exec(text)?.[0] as string
    expect((await client.auth.verifyOtp({ phone, token: code, type: 'phone_change' })).error).toBeNull()
    const identities = async () => (await client.auth.getUserIdentities()).data?.identities ?? []
    const before = await identities()
    expect(before.map(({ provider }) => provider).sort()).toEqual(['email', 'phone'])
    const [email] = before.filter(({ provider }) => provider === 'email')
    if (!email) throw new Error('no identity')
    const stranded = { ...email, identity_id: '00000000-0000-4000-8000-000000000000' }
    expect(shown((await client.auth.unlinkIdentity(stranded)).error)).toEqual([
      422,
      'identity_not_found',
      "Identity doesn't exist",
    ])
    expect((await client.auth.unlinkIdentity(email)).error).toBeNull()
    const { data } = await client.auth.getUser()
    expect(data.user).toMatchObject({
      email: '',
      phone: '13065550177',
      app_metadata: { provider: 'phone', providers: ['phone'] },
    })
    const [last] = await identities()
    if (!last) throw new Error('no identity')
    expect(shown((await client.auth.unlinkIdentity(last)).error)).toEqual([
      422,
      'single_identity_not_deletable',
      'User must have at least 1 identity after unlinking',
    ])
  })

  test('a link to a provider that is switched off is refused', async () => {
    const { session } = await newPerson(linking, 'grace+link-off@example.com')
    const { status, json } = await raw(linking, '/user/identities/authorize?provider=github', {
      bearer: session.access_token,
    })
    expect([status, json.msg]).toEqual([400, 'Unsupported provider: provider is not enabled'])
    const notAnId = await raw(linking, '/user/identities/1', {
      method: 'DELETE',
      bearer: session.access_token,
    })
    expect([notAnId.status, notAnId.json.msg]).toEqual([404, 'identity_id must be an UUID'])
  })
})

// Single sign-on by SAML 2.0: people sign in from here and from their provider's page, and their accounts are nobody
// else's. Administrators are in sso-providers.test.ts, what attackers send in sso-attacks.test.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import {
  identityProvider,
  type Keys,
  newKeys,
  type Ours,
  PERSISTENT,
  type Provider,
} from './identity-provider.ts'
import { newPerson } from './people.ts'
import { authServer, raw } from './project.ts'
import { addProvider, come, flowOf, oursOf, samlTable, sessionOf } from './sso.ts'

let server: TestServer
let ours: Ours
let keys: Keys
let provider: Provider
let count = 0

beforeAll(async () => {
  server = await authServer({
    auth: 'additional_redirect_urls = ["https://app.example.com/**"]',
    more: samlTable(),
  })
  ours = await oursOf(server)
  keys = await newKeys()
})
afterAll(() => server?.stop())
beforeEach(() => {
  provider = identityProvider(`https://idp-${++count}.example.net/saml`, keys)
})

describe('people', () => {
  test('sign in from here, by their domain, without PKCE', async () => {
    const { id } = await addProvider(server, provider, {
      domains: [`people-${count}.example.com`],
      attribute_mapping: {
        keys: {
          full_name: { names: ['cn', 'displayName'] },
          department: { name: 'ou', default: 'none' },
          groups: { name: 'groups', array: true },
        },
      },
    })
    const { data } = await stranger(server).auth.signInWithSSO({
      domain: `People-${count}.example.com`,
      options: { redirectTo: 'https://app.example.com/welcome' },
    })
    const request = await provider.read(data?.url as string, ours)
    expect(data?.url.startsWith(`${provider.signOnUrl}?`)).toBe(true)
    expect(request.extract).toMatchObject({
      issuer: ours.entityId,
      request: { assertionConsumerServiceUrl: ours.acsUrl, destination: provider.signOnUrl },
      nameIDPolicy: { format: PERSISTENT },
    })
    const sessionEnds = new Date(Date.now() + 3_600_000)
    const answer = provider.answer(ours, {
      inResponseTo: request.id,
      sessionEnds,
      attributes: { displayName: ['Grace Field'], groups: ['a', 'b'] },
    })
    const back = await come(server, answer, request.relayState)
    expect(back.target).toBe('https://app.example.com/welcome')
    const { user, claims } = await sessionOf(server, back)
    expect(user).toMatchObject({
      email: 'grace@example.com',
      app_metadata: { provider: `sso:${id}`, providers: [`sso:${id}`] },
      user_metadata: {
        sub: 'grace-1',
        iss: provider.entityId,
        email_verified: true,
        full_name: 'Grace Field',
        custom_claims: { department: 'none', groups: ['a', 'b'] },
      },
    })
    expect(claims.amr).toEqual([{ method: 'sso/saml', timestamp: expect.any(Number), provider: id }])
    const { rows } = await server.database.pool.query(
      'select u.is_sso_user, s.not_after from auth.users u join auth.sessions s on s.user_id = u.id where u.id = $1',
      [user.id],
    )
    expect(rows).toEqual([{ is_sso_user: true, not_after: sessionEnds }])
  })

  test('sign in from here, with PKCE, by the signature of the whole answer', async () => {
    const { id } = await addProvider(server, provider)
    const { client, url } = await flowOf(server, { providerId: id })
    const request = await provider.read(url, ours)
    const answer = provider.answer(ours, { inResponseTo: request.id, sign: 'response' })
    const back = await come(server, answer, request.relayState)
    expect([...back.keys()]).toEqual(['code'])
    const code = back.get('code') as string
    const elsewhere = await flowOf(server, { providerId: id })
    const stolen = await elsewhere.client.auth.exchangeCodeForSession(code)
    expect(stolen.error?.code).toBe('bad_code_verifier')
    const { data, error } = await client.auth.exchangeCodeForSession(code)
    expect(error).toBeNull()
    expect(data.user?.app_metadata.provider).toBe(`sso:${id}`)
    const again = await raw(server, '/token?grant_type=pkce', {
      body: { auth_code: code, code_verifier: 'x'.repeat(43) },
    })
    expect(again.status).toBe(404)
  })

  test('sign in from a page of their provider, and again to the same account', async () => {
    await addProvider(server, provider)
    const first = await come(server, provider.answer(ours), 'https://app.example.com/from-there')
    expect(first.target).toBe('https://app.example.com/from-there')
    const second = await come(server, provider.answer(ours), 'https://evil.example.net/')
    expect(second.target).toBe(server.services.config.auth.site_url)
    const [one, two] = [await sessionOf(server, first), await sessionOf(server, second)]
    expect(one.user.id).toBe(two.user.id)
  })

  test('have separate accounts, whoever else has their address', async () => {
    const other = identityProvider(`https://namesake-${count}.example.net`, keys)
    const email = `grace+namesake-${count}@example.com`
    const { session } = await newPerson(server, email)
    await Promise.all([addProvider(server, provider), addProvider(server, other)])
    const [one, two] = [
      await sessionOf(server, await come(server, provider.answer(ours, { email }))),
      await sessionOf(server, await come(server, other.answer(ours, { email }))),
    ]
    expect(new Set([session.user.id, one.user.id, two.user.id]).size).toBe(3)
    const { client } = one
    const changed = await client.auth.updateUser({ email: 'grace+elsewhere@example.com' })
    expect(changed.error?.code).toBe('user_sso_managed')
    // The owner of the address is found by it, and nobody of single sign-on.
    const signedIn = await stranger(server).auth.signInWithPassword({ email, password: 'Meadowlark1' })
    expect(signedIn.data.user?.id).toBe(session.user.id)
  })

  test('are known by their subject-id, or by their e-mail address as a name', async () => {
    await addProvider(server, provider)
    const subjectId = 'urn:oasis:names:tc:SAML:attribute:subject-id'
    const named = await sessionOf(
      server,
      await come(server, provider.answer(ours, { attributes: { [subjectId]: ['grace@id.example'] } })),
    )
    expect(named.user.identities?.[0]?.id).toBe('grace@id.example')
    const format = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
    const answer = provider.answer(ours, { subject: 'Grace+name@example.com', email: '', format })
    const mailed = await sessionOf(server, await come(server, answer))
    expect([mailed.user.email, mailed.user.identities?.[0]?.id]).toEqual([
      'grace+name@example.com',
      'grace+name@example.com',
    ])
  })

  test('with an answer that is no Base64 are sent to the site with the reason', async () => {
    const { headers } = await fetch(`${server.url}/auth/v1/sso/saml/acs`, {
      method: 'POST',
      redirect: 'manual',
      body: new URLSearchParams({ SAMLResponse: '%' }),
    })
    const { searchParams } = new URL(headers.get('location') as string)
    expect([searchParams.get('error_code'), searchParams.get('error_description')]).toEqual([
      'validation_failed',
      'SAMLResponse is not a valid Base64 string',
    ])
  })

  test('without a lasting name or an address are refused', async () => {
    await addProvider(server, provider)
    const transient = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient'
    const nameless = await come(server, provider.answer(ours, { format: transient }))
    expect([nameless.get('error'), nameless.get('error_code')]).toEqual([
      'invalid_request',
      'saml_assertion_no_user_id',
    ])
    const mute = await come(server, provider.answer(ours, { email: '' }))
    expect(mute.get('error_code')).toBe('saml_assertion_no_email')
    const odd = await come(server, provider.answer(ours, { email: 'nobody' }))
    expect(odd.get('error_description')).toBe('Unable to validate email address: invalid format')
  })

  test.each([
    [{}, 400, 'A provider_id or domain needs to be provided'],
    [{ domain: 'a', provider_id: 'b' }, 400, 'Only one of provider_id or domain supported'],
    [{ domain: 'unknown.example.com' }, 404, 'No SSO provider assigned for this domain'],
    [{ provider_id: '00000000-0000-4000-8000-000000000000' }, 404, 'No such SSO provider'],
    [{ provider_id: 'x' }, 400, 'Could not parse request body as JSON: provider_id must be a UUID'],
    [
      { domain: 'a', code_challenge: 'x' },
      400,
      'PKCE flow requires code_challenge_method and code_challenge',
    ],
  ])('callers that ask with %j are refused', async (body, status, message) => {
    const { json, ...answer } = await raw(server, '/sso', { body })
    expect([answer.status, json.msg]).toEqual([status, message])
  })
})

describe('our metadata', () => {
  test('is the same at every request, and can be kept for years', async () => {
    const read = async (query = '') => {
      const response = await fetch(`${server.url}/auth/v1/sso/saml/metadata${query}`)
      return { headers: response.headers, text: await response.text() }
    }
    const [one, two, kept] = [await read(), await read(), await read('?download=true')]
    expect(one.headers.get('content-type')).toBe('application/xml')
    expect(two.text).toBe(one.text)
    expect(one.text).toContain(`entityID="${server.url}/auth/v1/sso/saml/metadata"`)
    expect(one.text).not.toContain('validUntil')
    expect(kept.text).toMatch(/<EntityDescriptor validUntil="20\d\d-/)
    expect(kept.headers.get('content-disposition')).toBe('attachment; filename="metadata.xml"')
  })

  test('and the rest are nowhere where SAML is off', async () => {
    const off = await authServer()
    try {
      for (const path of ['/sso/saml/metadata', '/admin/sso/providers']) {
        const { status, json } = await raw(off, path, { headers: { apikey: off.secretKey } })
        expect([path, status, json.error_code]).toEqual([path, 404, 'saml_provider_disabled'])
      }
      const { status, json } = await raw(off, '/sso/saml/acs', { body: 'RelayState=' })
      expect([status, json.error_code]).toEqual([404, 'saml_provider_disabled'])
    } finally {
      await off.stop()
    }
  })
})

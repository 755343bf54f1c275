// Providers that administrators set up by the API: how they are kept, and sign-ins by them from the client's call to its
// session, by OpenID Connect and by OAuth 2 alone.

import { createClient } from '@supabase/supabase-js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { type Issuer, startIssuer } from '../support/issuer.ts'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { authServer, raw } from './project.ts'
import { Browser, fragmentOf, isSite, queryOf } from './providers.ts'

let server: TestServer
let issuer: Issuer
let callback: string

beforeAll(async () => {
  const port = await freePort()
  callback = `http://localhost:${port}/auth/v1/callback`
  issuer = await startIssuer(callback)
  server = await authServer({ options: { env: { PORT: String(port) } } })
})
afterAll(async () => {
  await server?.stop()
  await issuer?.stop()
})

const admin = () =>
  createClient(server.url, server.secretKey, { auth: { persistSession: false, autoRefreshToken: false } })
    .auth.admin.customProviders

/** Settings of an OpenID Connect provider. */
const openId = (identifier: `custom:${string}`) => ({
  provider_type: 'oidc' as const,
  identifier,
  name: 'Meadow ID',
  issuer: issuer.url,
  client_id: issuer.clientId,
  client_secret: issuer.clientSecret,
  scopes: ['email', 'profile'],
})

/** The same service as one that knows OAuth 2 alone. */
const oauth = (identifier: `custom:${string}`) => ({
  provider_type: 'oauth2' as const,
  identifier,
  name: 'Meadow API',
  client_id: issuer.clientId,
  client_secret: issuer.clientSecret,
  scopes: ['openid', 'email', 'profile'],
  authorization_url: `${issuer.url}/auth`,
  token_url: `${issuer.url}/token`,
  userinfo_url: `${issuer.url}/me`,
})

const grace = (tag: string) => ({
  sub: `grace-${tag}`,
  email: `grace+${tag}@example.com`,
  email_verified: true,
  name: 'Grace Field',
  picture: 'https://pictures.example/grace.png',
})

/** Where a client's call would send the browser. */
async function addressFor(provider: `custom:${string}`, options: Record<string, unknown> = {}) {
  const { data, error } = await stranger(server).auth.signInWithOAuth({
    provider,
    options: { skipBrowserRedirect: true, ...options },
  })
  if (error) throw error
  return data.url as string
}

/** Through the provider and back; answers what the application gets. */
async function enter(provider: `custom:${string}`) {
  const end = await new Browser().follow(await addressFor(provider), isSite(server))
  return { query: queryOf(end), session: fragmentOf(end) }
}

describe('admin.customProviders', () => {
  test('makes, lists, shows, changes and deletes one, and never shows its secret', async () => {
    const made = await admin().createProvider({ ...openId('custom:kept'), enabled: false })
    expect(made.error).toBeNull()
    expect(made.data).toMatchObject({
      id: expect.any(String),
      identifier: 'custom:kept',
      name: 'Meadow ID',
      provider_type: 'oidc',
      scopes: ['openid', 'email', 'profile'],
      pkce_enabled: true,
      enabled: false,
      email_optional: false,
      acceptable_client_ids: [],
      custom_claims_allowlist: [],
      attribute_mapping: {},
      authorization_params: {},
      skip_nonce_check: false,
      issuer: issuer.url,
      discovery_document: { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` },
    })
    await admin().createProvider({ ...oauth('custom:kept-too'), enabled: false })
    const { data: all } = await admin().listProviders()
    expect(all.providers.map(({ identifier }) => identifier)).toEqual(['custom:kept-too', 'custom:kept'])
    const { data: some } = await admin().listProviders({ type: 'oauth2' })
    expect(some.providers.map(({ identifier }) => identifier)).toEqual(['custom:kept-too'])

    const changed = await admin().updateProvider('custom:kept', {
      name: 'Another name',
      scopes: ['email'],
      email_optional: true,
      client_secret: 'another',
      attribute_mapping: { nickname: 'login' },
    })
    expect(changed.data).toMatchObject({
      name: 'Another name',
      scopes: ['openid', 'email'],
      email_optional: true,
      issuer: issuer.url,
      client_id: issuer.clientId,
      attribute_mapping: { nickname: 'login' },
    })
    expect((await admin().getProvider('custom:kept')).data).toEqual(changed.data)
    expect(JSON.stringify([made, all, changed])).not.toContain('client_secret')
    const { rows } = await server.database.pool.query(
      'select client_secret from auth.custom_oauth_providers where identifier = $1',
      ['custom:kept-too'],
    )
    expect(rows[0].client_secret).not.toContain(issuer.clientSecret)

    expect((await admin().deleteProvider('custom:kept')).error).toBeNull()
    await admin().deleteProvider('custom:kept-too')
    const removed = await admin().getProvider('custom:kept')
    expect(removed.error).toMatchObject({
      status: 404,
      code: 'custom_provider_not_found',
      message: 'Custom OAuth provider not found',
    })
    expect((await admin().deleteProvider('custom:kept')).error?.code).toBe('custom_provider_not_found')
  })

  test('is for administrators alone', async () => {
    for (const [method, path] of [
      ['GET', '/admin/custom-providers'],
      ['POST', '/admin/custom-providers'],
      ['DELETE', '/admin/custom-providers/custom:kept'],
    ] as const) {
      const answer = await raw(server, path, { method, ...(method === 'POST' ? { body: {} } : {}) })
      expect([answer.status, answer.json.error_code]).toEqual([401, 'no_authorization'])
    }
  })

  const RULES: [Record<string, unknown>, string][] = [
    [{ provider_type: 'saml' }, "provider_type must be either 'oauth2' or 'oidc'"],
    [{ identifier: '' }, 'identifier is required'],
    [{ identifier: 'meadow' }, "identifier must start with 'custom:' prefix, e.g. 'custom:meadow'"],
    [
      { identifier: 'custom:Meadow!' },
      'identifier must have 50 lower-case letters, digits, colons and hyphens at most, a letter or digit the last',
    ],
    [{ name: '' }, 'name is required'],
    [{ name: 'x'.repeat(101) }, 'name must be 100 characters at most'],
    [{ client_id: '' }, 'client_id is required'],
    [{ client_secret: '' }, 'client_secret is required'],
    [{ issuer: '' }, 'issuer is required for OIDC providers'],
    [{ provider_type: 'oauth2' }, 'authorization_url is required for OAuth2 providers'],
    [{ authorization_params: { state: '1' } }, 'Cannot override reserved OAuth parameter: state'],
    [{ authorization_params: { acr: 1 } }, 'Authorization parameter "acr" must be a string'],
    [{ attribute_mapping: { role: 'x' } }, 'Cannot map to protected system field: role'],
    [{ attribute_mapping: { email_verified: true } }, 'Cannot map to protected system field: email_verified'],
    [{ custom_claims_allowlist: [' '] }, 'custom_claims_allowlist entries must be non-empty strings'],
    [{ issuer: 'nowhere' }, 'Invalid URL format'],
    [{ issuer: 'http://id.example' }, 'URL must use HTTPS'],
    [{ issuer: 'https://10.0.0.1' }, 'URL cannot resolve to private network addresses'],
    [{ issuer: 'https://169.254.169.254/latest' }, 'URL cannot resolve to link-local addresses'],
    [{ issuer: 'https://[::ffff:192.168.1.1]' }, 'URL cannot resolve to private network addresses'],
    [{ discovery_url: 'https://127.1.2.3/x' }, 'URL cannot resolve to loopback addresses'],
  ]
  test.each(RULES)('refuses %j', async (wrong, message) => {
    const { error } = await admin().createProvider({ ...openId('custom:wrong'), ...wrong } as never)
    expect([error?.status, error?.code, error?.message]).toEqual([400, 'validation_failed', message])
  })

  test('refuses a second one of the same name, an issuer that is none, and one that is another', async () => {
    await admin().createProvider(openId('custom:once'))
    const twice = await Promise.all([1, 2, 3].map(() => admin().createProvider(openId('custom:once'))))
    expect(twice.map(({ error }) => [error?.status, error?.code])).toEqual(Array(3).fill([400, 'conflict']))
    const none = await admin().updateProvider('custom:once', { issuer: `${issuer.url}/nothing` })
    expect(none.error?.message).toMatch(/^OIDC discovery from ".*" failed: /)
    const other = await admin().updateProvider('custom:once', {
      issuer: 'http://localhost:1',
      discovery_url: `${issuer.url}/.well-known/openid-configuration`,
    })
    expect(other.error?.message).toMatch(/the issuer is ".*" instead of "http:\/\/localhost:1"$/)
    expect((await admin().getProvider('custom:once')).data?.issuer).toBe(issuer.url)
  })
})

describe('a sign-in by a custom provider', () => {
  test('makes an account by OpenID Connect, with claims as they are mapped and listed', async () => {
    const { error } = await admin().createProvider({
      ...openId('custom:meadow'),
      discovery_url: `${issuer.url}/.well-known/openid-configuration`,
      attribute_mapping: { nickname: 'name', team: 'unknown' },
      custom_claims_allowlist: ['picture', 'toString'],
      authorization_params: { login_hint: 'grace', prompt: 'login' },
    })
    expect(error).toBeNull()
    issuer.person = grace('meadow')
    const { session } = await enter('custom:meadow')
    const { data } = await stranger(server).auth.getUser(session.access_token)
    expect(data.user).toMatchObject({
      email: 'grace+meadow@example.com',
      app_metadata: { provider: 'custom:meadow', providers: ['custom:meadow'] },
      user_metadata: {
        iss: issuer.url,
        sub: 'grace-meadow',
        nickname: 'Grace Field',
        email_verified: true,
        custom_claims: { picture: 'https://pictures.example/grace.png' },
      },
      identities: [{ provider: 'custom:meadow', id: 'grace-meadow' }],
    })
    const asked = await new Browser().open(
      await addressFor('custom:meadow', { queryParams: { prompt: 'none' } }),
    )
    expect(queryOf(asked.headers.get('location') as string)).toMatchObject({
      login_hint: 'grace',
      prompt: 'login',
      code_challenge_method: 'S256',
      redirect_uri: callback,
      nonce: expect.any(String),
    })
  })

  test('makes an account by OAuth 2, whichever way the service takes the secret', async () => {
    await admin().createProvider({
      ...oauth('custom:api'),
      attribute_mapping: { preferred_username: 'email' },
      pkce_enabled: false,
    })
    issuer.person = grace('api')
    const { session, query } = await enter('custom:api')
    expect(query).toEqual({})
    const { data } = await stranger(server).auth.getUser(session.access_token)
    expect(data.user).toMatchObject({
      email: 'grace+api@example.com',
      user_metadata: { preferred_username: 'grace+api@example.com', full_name: 'Grace Field' },
      identities: [{ provider: 'custom:api', id: 'grace-api' }],
    })
    const asked = await new Browser().open(await addressFor('custom:api'))
    expect(queryOf(asked.headers.get('location') as string)).not.toHaveProperty('code_challenge')
  })

  test('takes an ID token, for the clients that the provider names', async () => {
    await admin().createProvider({ ...openId('custom:apps'), acceptable_client_ids: ['a-phone'] })
    const token = await issuer.idToken({ ...grace('apps'), aud: 'a-phone' })
    const { data, error } = await stranger(server).auth.signInWithIdToken({
      provider: 'custom:apps',
      token,
    })
    expect(error).toBeNull()
    expect(data.user?.app_metadata.provider).toBe('custom:apps')
    const foreign = await stranger(server).auth.signInWithIdToken({
      provider: 'custom:apps',
      token: await issuer.idToken({ ...grace('apps'), aud: 'somebody' }),
    })
    expect(foreign.error?.message).toBe('Unacceptable audience in id_token: [somebody]')
  })

  test('is refused where the provider is unknown, switched off, or of the other type', async () => {
    await admin().createProvider({ ...oauth('custom:off'), enabled: false })
    await admin().createProvider(oauth('custom:no-tokens'))
    const opened = async (provider: string) => {
      const response = await fetch(`${server.url}/auth/v1/authorize?provider=${provider}`)
      return [response.status, ((await response.json()) as { msg: string }).msg]
    }
    expect(await opened('custom:nobody')).toEqual([
      ...[400, 'Unsupported provider: custom provider custom:nobody not found'],
    ])
    expect(await opened('custom:off')).toEqual([
      ...[400, 'Unsupported provider: custom provider custom:off is disabled'],
    ])
    expect((await opened('custom:%00'))[0]).toBe(400)
    const byToken = async (provider: `custom:${string}`) => {
      const { error } = await stranger(server).auth.signInWithIdToken({ provider, token: 'x' })
      return [error?.status, error?.code, error?.message]
    }
    expect(await byToken('custom:nobody')).toEqual([
      ...[400, 'validation_failed', 'Custom provider "custom:nobody" not found'],
    ])
    expect(await byToken('custom:off')).toEqual([
      ...[400, 'provider_disabled', 'Custom provider "custom:off" is disabled'],
    ])
    expect(await byToken('custom:no-tokens')).toEqual([
      ...[400, 'validation_failed', 'Provider "custom:no-tokens" is not an OIDC provider'],
    ])
  })

  test('ends where the provider is switched off meanwhile, or its secret cannot be read', async () => {
    await admin().createProvider(openId('custom:meanwhile'))
    issuer.person = grace('meanwhile')
    const url = await addressFor('custom:meanwhile')
    const browser = new Browser()
    const back = await browser.follow(url, (one) => one.startsWith(callback))
    await admin().updateProvider('custom:meanwhile', { enabled: false })
    const end = queryOf(await browser.follow(back, isSite(server)))
    expect(end.error_code).toBe('oauth_provider_not_supported')
    await admin().updateProvider('custom:meanwhile', { enabled: true })
    await server.database.pool.query(
      `update auth.custom_oauth_providers set client_secret = 'sealed by other keys' where identifier = $1`,
      ['custom:meanwhile'],
    )
    const response = await fetch(`${server.url}/auth/v1/authorize?provider=custom:meanwhile`)
    expect([response.status, ((await response.json()) as { msg: string }).msg]).toEqual([
      ...[500, 'The client_secret of custom:meanwhile cannot be read; an administrator has to set it anew'],
    ])
  })
})

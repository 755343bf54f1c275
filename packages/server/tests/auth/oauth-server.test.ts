// Signing in to somebody else's application: openid-client asks, a person approves or not, and takes it back.
import { decodeJwt } from 'jose'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import { newPerson, stillSignedIn } from './people.ts'
import { authServer, raw } from './project.ts'
import { type App, approve, CALLBACK, oauthServer, registeredApp, tokensFor } from './third-party.ts'

let server: TestServer

beforeAll(async () => {
  server = await authServer({ more: oauthServer })
})
afterAll(() => server?.stop())

describe('discovery', () => {
  test('is one document at each path that clients look at', async () => {
    const at = (path: string) => fetch(`${server.url}${path}`)
    const response = await at('/auth/v1/.well-known/oauth-authorization-server')
    expect(response.headers.get('cache-control')).toBe('public, max-age=600')
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    const document = await response.json()
    const issuer = `${server.url}/auth/v1`
    expect(document).toMatchObject({
      issuer,
      authorization_endpoint: `${issuer}/oauth/authorize`,
      token_endpoint: `${issuer}/oauth/token`,
      userinfo_endpoint: `${issuer}/oauth/userinfo`,
      registration_endpoint: `${issuer}/oauth/clients/register`,
      jwks_uri: `${issuer}/.well-known/jwks.json`,
      scopes_supported: ['openid', 'profile', 'email', 'phone'],
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    })
    for (const path of [
      '/auth/v1/.well-known/openid-configuration',
      '/.well-known/oauth-authorization-server/auth/v1',
      '/.well-known/openid-configuration/auth/v1',
    ]) {
      expect([path, await (await at(path)).json()]).toEqual([path, document])
    }
    expect((await at('/.well-known/openid-configuration')).status).toBe(404)
  })

  test('serves openid-client, which registers itself by it', async () => {
    const config = await oidc.dynamicClientRegistration(
      new URL(`${server.url}/auth/v1`),
      { redirect_uris: [CALLBACK], client_name: 'Yard Planner' },
      undefined,
      { execute: [oidc.allowInsecureRequests], algorithm: 'oauth2' },
    )
    expect(config.clientMetadata()).toMatchObject({
      client_name: 'Yard Planner',
      client_secret: expect.any(String),
    })
  })
})

describe('a person', () => {
  test('is shown who asks and what for, approves, and is known to the application', async () => {
    const app = await registeredApp(server)
    const { client, session } = await newPerson(server, 'grace+approves@example.com')
    const { authorizationId, finish } = await app.ask({ nonce: 'a-nonce' })
    const shown = await client.auth.oauth.getAuthorizationDetails(authorizationId)
    expect(shown.data).toEqual({
      authorization_id: authorizationId,
      redirect_uri: CALLBACK,
      client: { id: app.clientId, name: 'Yard Planner' },
      user: { id: session.user.id, email: 'grace+approves@example.com' },
      scope: 'openid profile email',
    })
    const approved = await client.auth.oauth.approveAuthorization(authorizationId)
    const back = new URL(approved.data?.redirect_url ?? '')
    expect(back.origin + back.pathname).toBe(CALLBACK)
    expect(back.searchParams.get('iss')).toBe(`${server.url}/auth/v1`)

    const tokens = await finish(back.href)
    expect(tokens).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      refresh_token: expect.any(String),
    })
    expect(tokens.claims()).toMatchObject({
      iss: `${server.url}/auth/v1`,
      sub: session.user.id,
      aud: app.clientId,
      nonce: 'a-nonce',
      email: 'grace+approves@example.com',
      email_verified: true,
      name: 'Grace Field',
      auth_time: Math.floor(Date.parse(session.user.last_sign_in_at as string) / 1000),
    })
    expect(decodeJwt(tokens.access_token)).toMatchObject({
      sub: session.user.id,
      role: 'authenticated',
      client_id: app.clientId,
      scope: 'openid profile email',
      aal: 'aal1',
      amr: [{ method: 'oauth_provider/authorization_code', timestamp: expect.any(Number) }],
    })
    const info = await oidc.fetchUserInfo(app.config, tokens.access_token, session.user.id)
    expect(info).toMatchObject({
      email: 'grace+approves@example.com',
      email_verified: true,
      name: 'Grace Field',
    })
    expect(info).not.toHaveProperty('phone')
    expect(await stillSignedIn(server, session)).toBe('yes')
  })

  test('denies, and the application learns so', async () => {
    const app = await registeredApp(server)
    const { client } = await newPerson(server, 'grace+denies@example.com')
    const { authorizationId, finish } = await app.ask()
    await client.auth.oauth.getAuthorizationDetails(authorizationId)
    const { data } = await client.auth.oauth.denyAuthorization(authorizationId)
    await expect(finish(data?.redirect_url ?? '')).rejects.toMatchObject({
      error: 'access_denied',
      error_description: 'User denied the request',
    })
    expect((await client.auth.oauth.listGrants()).data).toEqual([])
    const again = await client.auth.oauth.approveAuthorization(authorizationId)
    expect(again.error).toMatchObject({ status: 400, code: 'validation_failed' })
  })

  test('is not asked for the same again, but for more', async () => {
    const app = await registeredApp(server)
    const { client } = await newPerson(server, 'grace+again@example.com')
    await tokensFor(app, client)
    const less = await app.ask({ scope: 'openid email' })
    const shown = await client.auth.oauth.getAuthorizationDetails(less.authorizationId)
    expect(Object.keys(shown.data ?? {})).toEqual(['redirect_url'])
    const tokens = await less.finish((shown.data as { redirect_url: string }).redirect_url)
    expect(decodeJwt(tokens.access_token).scope).toBe('openid email')
    const more = await app.ask({ scope: 'openid email phone' })
    const asked = await client.auth.oauth.getAuthorizationDetails(more.authorizationId)
    expect(asked.data).toMatchObject({ scope: 'openid email phone' })
  })

  test('is asked each time by a program of the same machine, which anybody may say to be', async () => {
    const app = await registeredApp(server, { method: 'none' })
    const { client } = await newPerson(server, 'grace+native@example.com')
    await tokensFor(app, client)
    const { authorizationId } = await app.ask()
    const { data } = await client.auth.oauth.getAuthorizationDetails(authorizationId)
    expect(data).toHaveProperty('authorization_id')
  })

  test('lists the applications with access and takes it back: session, codes and leave end', async () => {
    const app = await registeredApp(server)
    const { client, session } = await newPerson(server, 'grace+revokes@example.com')
    const tokens = await tokensFor(app, client)
    const waiting = await app.ask()
    const code = await approve(client, waiting.authorizationId)
    expect((await client.auth.oauth.listGrants()).data).toEqual([
      {
        client: { id: app.clientId, name: 'Yard Planner' },
        scopes: ['openid', 'profile', 'email'],
        granted_at: expect.any(String),
      },
    ])
    expect((await client.auth.oauth.revokeGrant({ clientId: app.clientId })).error).toBeNull()
    expect((await client.auth.oauth.listGrants()).data).toEqual([])
    await expect(waiting.finish(code)).rejects.toMatchObject({ error: 'invalid_grant' })
    await expect(oidc.refreshTokenGrant(app.config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(oidc.fetchUserInfo(app.config, tokens.access_token, session.user.id)).rejects.toThrow()
    const again = await client.auth.oauth.revokeGrant({ clientId: app.clientId })
    expect(again.error).toMatchObject({ status: 404, code: 'oauth_consent_not_found' })
    const { authorizationId } = await app.ask()
    const asked = await client.auth.oauth.getAuthorizationDetails(authorizationId)
    expect(asked.data).toHaveProperty('authorization_id')
    expect(await stillSignedIn(server, session)).toBe('yes')
  })
})

describe('the application', () => {
  test.each(['client_secret_basic', 'client_secret_post', 'none'] as const)(
    'exchanges and renews with %s',
    async (method) => {
      const app = await registeredApp(server, { method })
      const { client } = await newPerson(server, `grace+${method}@example.com`)
      const tokens = await tokensFor(app, client)
      const renewed = await oidc.refreshTokenGrant(app.config, tokens.refresh_token ?? '')
      expect(renewed.refresh_token).not.toBe(tokens.refresh_token)
      const [before, after] = [tokens, renewed].map(({ access_token }) => decodeJwt(access_token))
      expect(after).toMatchObject({
        session_id: before?.session_id,
        client_id: app.clientId,
        scope: before?.scope,
      })
      expect(renewed).not.toHaveProperty('user')
    },
  )

  test('sees of a person what the scopes say and no more, in its token, too', async () => {
    const app = await registeredApp(server)
    const { client } = await newPerson(server, 'grace+narrow@example.com')
    const tokens = await tokensFor(app, client, { scope: 'openid' })
    const { email, phone, user_metadata } = decodeJwt(tokens.access_token)
    expect([email, phone, user_metadata]).toEqual(['', '', {}])
    const info = await oidc.fetchUserInfo(app.config, tokens.access_token, oidc.skipSubjectCheck)
    expect(Object.keys(info)).toEqual(['sub'])
    const user = await raw(server, '/user', { bearer: tokens.access_token })
    expect(Object.keys(user.json).sort()).toEqual(
      [
        'aud',
        'app_metadata',
        'created_at',
        'id',
        'is_anonymous',
        'role',
        'updated_at',
        'user_metadata',
      ].sort(),
    )
    expect(user.json.user_metadata).toEqual({})
  })

  test('that has not asked for openid gets no ID token; one that names no scope asks for the address', async () => {
    const app = await registeredApp(server)
    const { client } = await newPerson(server, 'grace+plain@example.com')
    const tokens = await tokensFor(app, client, { scope: '' })
    expect(tokens.id_token).toBeUndefined()
    expect(decodeJwt(tokens.access_token)).toMatchObject({ scope: 'email', email: 'grace+plain@example.com' })
  })

  test('may send JSON instead of a form', async () => {
    const app = await registeredApp(server, { method: 'client_secret_post' })
    const { client } = await newPerson(server, 'grace+json@example.com')
    const { authorizationId, verifier } = await app.ask()
    const back = new URL(await approve(client, authorizationId))
    const { status, json } = await exchange(app, {
      code: back.searchParams.get('code'),
      code_verifier: verifier,
      redirect_uri: CALLBACK,
    })
    expect([status, Object.keys(json)]).toEqual([
      200,
      ['access_token', 'token_type', 'expires_in', 'refresh_token', 'id_token'],
    ])
  })
})

const exchange = (app: App, body: object) =>
  raw(server, '/oauth/token', {
    headers: { apikey: '' },
    body: { grant_type: 'authorization_code', client_id: app.clientId, client_secret: app.secret, ...body },
  })

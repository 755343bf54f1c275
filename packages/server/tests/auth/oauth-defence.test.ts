// Attacks on what other applications are given: stolen and replayed codes and tokens, weaker proofs, and tokens used for
// more than they were given for.
import { createHash } from 'node:crypto'
import * as oidc from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AUTH_ROUTES } from '../../src/auth/routes.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson, signIn, stillSignedIn } from './people.ts'
import { authServer, raw } from './project.ts'
import {
  type App,
  approve,
  CALLBACK,
  oauthServer,
  registeredApp,
  requestToken,
  tokensFor,
} from './third-party.ts'

let server: TestServer
let app: App
let other: App
let person: Awaited<ReturnType<typeof newPerson>>

beforeAll(async () => {
  server = await authServer({
    more: `${oauthServer}\n[auth.mfa.totp]\nenroll_enabled = true\nverify_enabled = true`,
    auth: 'refresh_token_reuse_interval = 0',
  })
  person = await newPerson(server, 'grace@example.com')
  app = await registeredApp(server, { method: 'client_secret_post' })
  other = await registeredApp(server, { method: 'client_secret_post', name: 'Another' })
})
afterAll(() => server?.stop())

/** A code that the person was given to pass on, and the proof that goes with it. */
async function codeFor(client: App) {
  const { authorizationId, verifier } = await client.ask()
  const back = new URL(await approve(person.client, authorizationId))
  return { code: back.searchParams.get('code') as string, verifier }
}

const token = (client: App, body: Record<string, string>) => requestToken(server, client, body)
const exchange = (client: App, { code, verifier }: { code: string; verifier: string }, more = {}) =>
  token(client, {
    grant_type: 'authorization_code',
    code,
    code_verifier: verifier,
    redirect_uri: CALLBACK,
    ...more,
  })

describe('a code', () => {
  test('is kept as a hash, and works once though ten bring it at the same moment; the others end what it gave', async () => {
    const given = await codeFor(app)
    const { rows } = await server.database.pool.query(
      "select a::text, authorization_code from auth.oauth_authorizations a where status = 'approved'",
    )
    expect(JSON.stringify(rows)).not.toContain(given.code)
    expect(rows.map((row) => row.authorization_code)).toContain(
      createHash('sha256').update(given.code).digest('base64url'),
    )
    const answers = await Promise.all(Array.from({ length: 10 }, () => exchange(app, given)))
    const [won, ...more] = answers.filter(({ status }) => status === 200)
    expect(more).toEqual([])
    for (const { json } of answers.filter(({ status }) => status !== 200)) {
      expect(json).toEqual({ error: 'invalid_grant', error_description: 'Invalid authorization code' })
    }
    const info = await raw(server, '/oauth/userinfo', { bearer: won?.json.access_token as string })
    expect([info.status, info.json.error_code]).toEqual([403, 'session_not_found'])
    const renewed = await token(app, {
      grant_type: 'refresh_token',
      refresh_token: won?.json.refresh_token as string,
    })
    expect(renewed.json.error).toBe('invalid_grant')
    expect(await stillSignedIn(server, person.session)).toBe('yes')
  })

  test.each([
    ['by another client', () => [other, {}] as const, 'Authorization code was not issued for this client'],
    ['with another address', () => [app, { redirect_uri: `${CALLBACK}/` }] as const, 'Invalid redirect_uri'],
    [
      'without the proof',
      () => [app, { code_verifier: '' }] as const,
      'PKCE verification failed: code_verifier is required when PKCE challenge is present',
    ],
    [
      'with another proof',
      () => [app, { code_verifier: 'x'.repeat(43) }] as const,
      'PKCE verification failed: code challenge does not match previously saved code verifier',
    ],
    [
      'for another resource',
      () => [app, { resource: 'https://api.example.net' }] as const,
      'Authorization code resource does not match the resource parameter',
    ],
  ])('is not exchanged %s, and is not used up by it', async (_, how, description) => {
    const given = await codeFor(app)
    const [client, more] = how()
    const { status, json } = await exchange(client, given, more)
    expect([status, json]).toEqual([400, { error: 'invalid_grant', error_description: description }])
    expect((await exchange(app, given)).status).toBe(200)
  })

  test('lives for ten minutes from the request, as the request does', async () => {
    const given = await codeFor(app)
    const { authorizationId } = await other.ask()
    await server.database.pool.query(
      `update auth.oauth_authorizations set created_at = now() - interval '11 minutes', expires_at = now() - interval '1 minute'`,
    )
    expect((await exchange(app, given)).json.error_description).toBe('Authorization code has expired')
    const late = await person.client.auth.oauth.getAuthorizationDetails(authorizationId)
    expect(late.error).toMatchObject({ status: 404, code: 'oauth_authorization_not_found' })
  })

  test('of somebody who was banned meanwhile is refused', async () => {
    const { client, session } = await newPerson(server, 'theo@example.com')
    const { authorizationId, verifier } = await app.ask()
    const back = new URL(await approve(client, authorizationId))
    await server.database.pool.query(
      `update auth.users set banned_until = now() + interval '1 day' where id = $1`,
      [session.user.id],
    )
    const given = { code: back.searchParams.get('code') as string, verifier }
    expect((await exchange(app, given)).json).toEqual({
      error: 'access_denied',
      error_description: 'User is banned',
    })
  })
})

describe('a refresh token', () => {
  test('is bound to its client, and to be used where that says who it is', async () => {
    const tokens = await tokensFor(app, person.client)
    const body = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token as string }
    const foreign = await token(other, body)
    expect(foreign.json).toEqual({
      error: 'invalid_client',
      error_description: "Client does not match the session's OAuth client",
    })
    const asPerson = await person.client.auth.refreshSession({ refresh_token: body.refresh_token })
    expect(asPerson.error?.message).toContain('Client authentication required for OAuth session')
    const own = (await signIn(server, 'grace@example.com')).session
    const stolen = await token(app, { ...body, refresh_token: own.refresh_token })
    expect(stolen.json.error_description).toBe('Client authentication not allowed for non-OAuth session')
    expect((await token(app, body)).status).toBe(200)
  })

  test('that comes again after its successor was used ends the session', async () => {
    const first = await tokensFor(app, person.client)
    const renew = (refresh_token = '') => token(app, { grant_type: 'refresh_token', refresh_token })
    const second = (await renew(first.refresh_token)).json.refresh_token as string
    const third = (await renew(second)).json.refresh_token as string
    for (const used of [first.refresh_token, third]) {
      expect((await renew(used)).json).toEqual({
        error: 'invalid_grant',
        error_description: 'Refresh token is invalid or expired.',
      })
    }
  })
})

describe('a person with a second factor', () => {
  test('gives no leave before it is proved, nor is leave taken for given', async () => {
    const { client } = await newPerson(server, 'ada@example.com')
    await tokensFor(app, client)
    const { data } = await client.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' })
    await server.database.pool.query(`update auth.mfa_factors set status = 'verified' where id = $1`, [
      data?.id,
    ])
    const { authorizationId } = await app.ask()
    const shortcut = await client.auth.oauth.getAuthorizationDetails(authorizationId)
    expect(shortcut.error).toMatchObject({ status: 401, code: 'insufficient_aal' })
  })
})

describe("a client's token", () => {
  test('opens nothing of the account but what was given; every other endpoint for people refuses it', async () => {
    const { access_token: bearer } = await tokensFor(app, person.client)
    const open = AUTH_ROUTES.filter(({ forClients }) => forClients).map(
      ({ method, path }) => `${method} ${path}`,
    )
    expect(open).toEqual(['GET /user', 'GET /oauth/userinfo'])
    const closed = AUTH_ROUTES.filter(({ access, forClients }) => access === 'user' && !forClients)
    for (const { method, path } of closed) {
      const body = method === 'GET' ? undefined : {}
      const { status, json } = await raw(server, path.replace(':id', person.session.user.id), {
        method,
        body,
        bearer,
      })
      expect([method, path, status, json.error_code]).toEqual([method, path, 403, 'oauth_client_not_allowed'])
    }
    expect(await stillSignedIn(server, person.session)).toBe('yes')
  })

  test('is renewed by who holds its refresh token, and is no device of the person', async () => {
    const { refresh_token } = await tokensFor(app, person.client)
    await expect(oidc.refreshTokenGrant(app.config, refresh_token as string)).resolves.toBeDefined()
    const { rows } = await server.database.pool.query(
      'select last_sign_in_at from auth.users where id = $1',
      [person.session.user.id],
    )
    const newest = await server.database.pool.query(
      'select max(created_at) as at from auth.sessions where user_id = $1 and oauth_client_id is not null',
      [person.session.user.id],
    )
    expect(rows[0].last_sign_in_at < newest.rows[0].at).toBe(true)
  })
})

// Attacks on what other applications ask for: addresses that are not theirs, weaker proofs, mixed-up servers, other
// people's requests, and applications that do not show who they are.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import { newPerson } from './people.ts'
import { authServer, raw } from './project.ts'
import {
  type App,
  administrator,
  approve,
  CALLBACK,
  oauthServer,
  registeredApp,
  requestToken,
} from './third-party.ts'

let server: TestServer
let app: App
let other: App
let person: Awaited<ReturnType<typeof newPerson>>
let stranger: Awaited<ReturnType<typeof newPerson>>

beforeAll(async () => {
  server = await authServer({ more: oauthServer })
  person = await newPerson(server, 'grace@example.com')
  stranger = await newPerson(server, 'sam@example.com')
  app = await registeredApp(server, { method: 'client_secret_post' })
  other = await registeredApp(server, { method: 'client_secret_post', name: 'Another' })
})
afterAll(() => server?.stop())

const token = (client: App, body: Record<string, string>) => requestToken(server, client, body)

describe('a client', () => {
  test.each([
    [{ client_secret: 'wrong' }, 'invalid client credentials'],
    [
      { client_secret: '' },
      "invalid authentication method: client is registered for 'client_secret_post' but 'none' was used",
    ],
    [{ client_id: '11111111-1111-4111-8111-111111111111' }, 'Invalid client credentials'],
    [{ client_id: 'x' }, 'Invalid client_id format'],
    [{ client_id: '' }, 'Invalid client credentials: client_id is required'],
  ])('that shows %j is refused, in the words of both protocols', async (credentials, message) => {
    const { status, json } = await token(app, { grant_type: 'authorization_code', code: 'x', ...credentials })
    expect([status, json]).toEqual([
      400,
      {
        code: 400,
        error_code: 'invalid_credentials',
        msg: message,
        error: 'invalid_client',
        error_description: message,
      },
    ])
  })

  test.each([
    [{}, 'invalid_request', 'grant_type is required'],
    [
      { grant_type: 'password' },
      'unsupported_grant_type',
      'Client is not allowed to use grant type: password',
    ],
    [
      { grant_type: 'authorization_code' },
      'invalid_request',
      'code is required for authorization_code grant',
    ],
    [{ grant_type: 'refresh_token' }, 'invalid_request', 'refresh_token is required for refresh_token grant'],
    [
      { grant_type: 'authorization_code', client_id: '', client_secret: '' },
      'invalid_client',
      'Client authentication required',
    ],
  ])('that asks with %j learns what is wrong', async (body, error, description) => {
    expect((await token(app, body as Record<string, string>)).json).toEqual({
      error,
      error_description: description,
    })
  })

  test('that sends no JSON though it says so, or text that cannot be kept, learns so', async () => {
    const sent = (body: string, type: string, authorization = 'Basic eA==') =>
      raw(server, '/oauth/token', { body, headers: { 'content-type': type, authorization } })
    expect((await sent('{', 'application/json')).json.error_description).toBe('Invalid JSON body')
    expect((await sent('code=%00', 'application/x-www-form-urlencoded')).json.error_description).toBe(
      'Failed to parse form data',
    )
    expect((await sent('code=x', 'application/x-www-form-urlencoded')).json.error_description).toBe(
      'Invalid client credentials: invalid basic auth format',
    )
    expect(
      (await sent('code=x', 'application/x-www-form-urlencoded', 'Basic %')).json.error_description,
    ).toBe('Invalid client credentials: invalid basic auth encoding')
  })

  test('without leave to renew does not', async () => {
    const { data } = await administrator(server).createClient({
      client_name: 'Once',
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code'],
    })
    const once = { ...app, clientId: data?.client_id ?? '', secret: data?.client_secret ?? '' }
    const { json } = await token(once, { grant_type: 'refresh_token', refresh_token: 'x' })
    expect(json.error).toBe('unsupported_grant_type')
  })
})

describe('a request', () => {
  const challenge = 'c'.repeat(43)
  const usual = {
    response_type: 'code',
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 's',
  }
  const authorize = (parameters: Record<string, string>) =>
    raw(server, `/oauth/authorize?${new URLSearchParams(parameters)}`, { headers: { apikey: '' } })

  test.each([
    [{}, 'redirect_uri is required'],
    [{ redirect_uri: `${CALLBACK}?more` }, 'invalid redirect_uri'],
    [{ redirect_uri: `${CALLBACK}/../evil` }, 'invalid redirect_uri'],
    [{ redirect_uri: CALLBACK.toUpperCase() }, 'invalid redirect_uri'],
    [{ redirect_uri: 'https://evil.example.net' }, 'invalid redirect_uri'],
    [{ redirect_uri: CALLBACK, client_id: '' }, 'client_id is required'],
    [{ redirect_uri: CALLBACK, client_id: 'x' }, 'invalid client_id format'],
    [{ redirect_uri: CALLBACK, client_id: '11111111-1111-4111-8111-111111111111' }, 'invalid client_id'],
  ])('with %j goes nowhere', async (parameters, message) => {
    const { status, json, headers } = await authorize({
      client_id: app.clientId,
      ...usual,
      ...parameters,
    } as never)
    expect([status, json.msg, headers.get('location')]).toEqual([400, message, null])
  })

  test.each(
    [
      [{ response_type: 'token' }, 'only response_type=code is supported'],
      [{ scope: 'openid admin' }, 'unsupported scope: admin'],
      [{ scope: ' ' }, 'scope parameter cannot be empty'],
      [{ code_challenge: '' }, 'PKCE flow requires both code_challenge and code_challenge_method'],
      [{ code_challenge_method: '' }, 'PKCE flow requires both code_challenge and code_challenge_method'],
      [{ code_challenge_method: 'plain' }, "code_challenge_method must be 'S256'"],
      [{ code_challenge: 'short' }, 'code_challenge must be between 43 and 128 characters'],
      [{ resource: 'x' }, 'resource must be an absolute URI'],
      [{ resource: 'https://example.net/#' }, 'resource must not include a fragment component'],
      [{ state: 'x'.repeat(4097) }, 'state cannot exceed 4096 characters'],
      [{ nonce: 'a\0b' }, 'nonce must be text without NUL characters'],
    ].map(([parameters, description]) => [description, parameters] as const),
  )('with a fault is answered at its client: %s', async (description, parameters) => {
    const given = { client_id: app.clientId, redirect_uri: CALLBACK, ...usual }
    const asked: typeof given = Object.assign(given, parameters)
    const { status, headers } = await authorize(asked)
    const back = new URL(headers.get('location') ?? '')
    expect([status, back.origin + back.pathname]).toEqual([302, CALLBACK])
    expect(Object.fromEntries(back.searchParams)).toEqual({
      error: 'invalid_request',
      error_description: description,
      state: asked.state,
      iss: `${server.url}/auth/v1`,
    })
  })

  test('leads to the page of the site, whatever it claims', async () => {
    const { status, headers } = await authorize({
      client_id: app.clientId,
      redirect_uri: CALLBACK,
      ...usual,
      redirect_to: 'https://evil.example.net',
      authorization_id: 'x',
    })
    expect(status).toBe(302)
    expect(headers.get('location')).toMatch(
      new RegExp(`^${server.url}/oauth/consent\\?authorization_id=[\\w-]{32}$`),
    )
  })

  test('that answers from another server than it was sent to is not taken', async () => {
    const { authorizationId, finish } = await app.ask()
    const back = new URL(await approve(person.client, authorizationId))
    back.searchParams.set('iss', 'https://honest.example.net')
    await expect(finish(back.href)).rejects.toMatchObject({
      cause: { message: 'unexpected "iss" (issuer) response parameter value' },
    })
    expect(app.config.serverMetadata().authorization_response_iss_parameter_supported).toBe(true)
  })

  test('is of the person who opened it last; nobody else decides it', async () => {
    const { authorizationId } = await other.ask()
    const refused = { status: 404, code: 'oauth_authorization_not_found' }
    const unseen = await person.client.auth.oauth.approveAuthorization(authorizationId)
    expect(unseen.error).toMatchObject(refused)
    for (const { client, session } of [person, stranger]) {
      const { data } = await client.auth.oauth.getAuthorizationDetails(authorizationId)
      expect(data).toMatchObject({ user: { id: session.user.id } })
    }
    for (const attempt of [
      person.client.auth.oauth.approveAuthorization(authorizationId),
      person.client.auth.oauth.denyAuthorization(authorizationId),
      person.client.auth.oauth.getAuthorizationDetails('x'),
    ]) {
      expect((await attempt).error).toMatchObject(refused)
    }
    expect((await stranger.client.auth.oauth.approveAuthorization(authorizationId)).error).toBeNull()
  })

  test('is decided once, by a page of this site, in its words', async () => {
    const { authorizationId } = await other.ask({ scope: 'openid email phone' })
    const consent = (body: object, origin?: string) =>
      raw(server, `/oauth/authorizations/${authorizationId}/consent`, {
        body,
        bearer: person.session.access_token,
        ...(origin ? { headers: { origin } } : {}),
      })
    await person.client.auth.oauth.getAuthorizationDetails(authorizationId)
    expect((await consent({ action: 'approve' }, 'https://evil.example.net')).json.msg).toBe(
      'unauthorized request origin',
    )
    expect((await consent({ action: 'maybe' })).json.msg).toBe("action must be 'approve' or 'deny'")
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => consent({ action: 'approve' }, server.url)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400])
  })
})

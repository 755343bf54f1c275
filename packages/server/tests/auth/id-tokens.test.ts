// ID tokens from a provider's own library, identities added to an account, and the two providers that are no issuers of
// OpenID Connect, whose endpoints are played here.

import { createHash, createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { type Issuer, startIssuer } from '../support/issuer.ts'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { together } from '../support/together.ts'
import { endOtherSessions, newPerson, password, signIn } from './people.ts'
import { authServer, raw } from './project.ts'
import { Browser, fragmentOf, isSite, queryOf } from './providers.ts'

let server: TestServer
let issuer: Issuer
let social: Server
/** Requests to the two providers. */
const asked: { path: string; authorization: string | undefined; body: string }[] = []

beforeAll(async () => {
  social = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    request.on('end', () => {
      const path = request.url as string
      asked.push({ path, authorization: request.headers.authorization, body })
      const answers: Record<string, unknown> = {
        '/login/oauth/access_token': {
          access_token: 'github-token',
          token_type: 'bearer',
          scope: 'user:email',
        },
        '/api/v3/user': {
          id: 7,
          login: 'grace',
          name: 'Grace Field',
          avatar_url: 'https://pictures.example/g',
        },
        '/api/v3/user/emails': [
          { email: 'nobody@example.com', verified: false, primary: false },
          { email: 'grace+github@example.com', verified: true, primary: true },
        ],
        '/oauth/access_token': { access_token: 'facebook-token', token_type: 'bearer' },
        '/me': {
          id: '9',
          name: 'Grace Field',
          email: 'grace+facebook@example.com',
          picture: { data: { url: 'https://pictures.example/f' } },
        },
      }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answers[path.split('?')[0] as string] ?? {}))
    })
  })
  await new Promise<void>((resolve) => social.listen(0, 'localhost', resolve))
  const socialUrl = `http://localhost:${(social.address() as AddressInfo).port}`
  const port = await freePort()
  issuer = await startIssuer(`http://localhost:${port}/auth/v1/callback`)
  server = await authServer({
    auth: 'enable_manual_linking = true',
    more: `
[auth.external.google]
enabled = true
client_id = "${issuer.clientId}, a-native-app"
secret = "${issuer.clientSecret}"
url = "${issuer.url}"
[auth.external.github]
enabled = true
client_id = "ours"
secret = "github-secret"
url = "${socialUrl}"
[auth.external.facebook]
enabled = true
client_id = "ours"
secret = "facebook-secret"
url = "${socialUrl}"
`,
    options: { env: { PORT: String(port) } },
  })
})
afterAll(async () => {
  await server?.stop()
  await issuer?.stop()
  social?.close()
})

const claims = (tag: string, more: object = {}) => ({
  sub: `grace-${tag}`,
  email: `grace+${tag}@example.com`,
  email_verified: true,
  name: 'Grace Field',
  ...more,
})
const nonce = 'a secret of the app'
const hashed = createHash('sha256').update(nonce).digest('hex')

describe('an ID token', () => {
  const enter = (token: string, more: { nonce?: string; access_token?: string } = {}) =>
    stranger(server).auth.signInWithIdToken({ provider: 'google', token, ...more })

  test('signs in, for this project or one of its apps', async () => {
    const { data, error } = await enter(await issuer.idToken(claims('token', { nonce: hashed })), { nonce })
    expect(error).toBeNull()
    expect(data.user).toMatchObject({
      email: 'grace+token@example.com',
      app_metadata: { provider: 'google' },
    })
    const app = await enter(await issuer.idToken(claims('token', { aud: 'a-native-app' })))
    expect(app.data.user?.id).toBe(data.user?.id)
    const settings = await raw(server, '/settings')
    expect(settings.json.external).toMatchObject({ google: true, github: true, apple: false })
  })

  test('is not taken with another nonce, audience, issuer, access token, signature or time', async () => {
    const refused = async (more: object, given: { nonce?: string; access_token?: string } = {}) =>
      (await enter(await issuer.idToken(claims('bad', more)), given)).error?.message
    expect(await refused({ nonce: hashed }, { nonce: 'another' })).toBe('Nonces mismatch')
    const onlyOne = 'Passed nonce and nonce in id_token should either both exist or not.'
    expect([await refused({ nonce: hashed }), await refused({}, { nonce })]).toEqual([onlyOne, onlyOne])
    expect(await refused({ aud: 'another' })).toBe('Unacceptable audience in id_token: [another]')
    expect(await refused({ iss: 'https://evil.example' })).toBe('Bad ID token')
    expect(await refused({ exp: Math.floor(Date.now() / 1000) - 3600 })).toBe('Bad ID token')
    expect(await refused({ sub: undefined })).toBe('Missing sub claim in id_token')
    expect(await refused({ at_hash: 'AAAA' }, { access_token: 'x' })).toBe('Bad ID token')
    const [head, body] = (await issuer.idToken(claims('bad'))).split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const token of [`${head}.${body}.AAAA`, `${none}.${body}.`, 'x'])
      expect((await enter(token)).error?.message).toBe('Bad ID token')
    const digest = createHash('sha256').update('x').digest()
    const right = { at_hash: digest.subarray(0, 16).toString('base64url') }
    expect(await refused(right, { access_token: 'x' })).toBeUndefined()
  })

  test('without a nonce is accepted once, also when it comes several times at once', async () => {
    const body = { id_token: await issuer.idToken(claims('once')), provider: 'google' }
    const path = '/auth/v1/token?grant_type=id_token'
    const request = { path, headers: { apikey: server.publishableKey }, body }
    const answers = await together(
      server.url,
      Array.from({ length: 6 }, () => request),
    )
    const refusals = answers.filter(({ status }) => status !== 200)
    expect(refusals.map(({ status, json }) => [status, json.error_description])).toEqual(
      Array(5).fill([400, 'ID token without a nonce was already used']),
    )
    // The same token with its signature written in another way.
    const [head, payload, signature = ''] = body.id_token.split('.')
    const last = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const place = last.indexOf(signature.at(-1) as string)
    const other = `${head}.${payload}.${signature.slice(0, -1)}${last[place ^ 1]}`
    expect((await enter(other)).error).not.toBeNull()
    // A nonce that the app proves to know protects a token by itself.
    const bound = await issuer.idToken(claims('bound', { nonce: hashed }))
    for (let n = 0; n < 2; n++) expect((await enter(bound, { nonce })).error).toBeNull()
  })

  test('is accepted only where every audience and the authorized party are this project', async () => {
    const { clientId } = issuer
    const answer = async (more: object) =>
      (await enter(await issuer.idToken(claims('azp', more)))).error?.message
    expect(await answer({ azp: 'another' })).toBe('Unacceptable azp in id_token: "another"')
    const both = [clientId, 'a-native-app']
    expect(await answer({ aud: both })).toBe('Unacceptable azp in id_token: null')
    expect(await answer({ aud: both, azp: 'another' })).toBe('Unacceptable azp in id_token: "another"')
    expect(await answer({ aud: [clientId, 'another'], azp: clientId })).toBe(
      `Unacceptable audience in id_token: [${clientId} another]`,
    )
    expect(await answer({ aud: both, azp: clientId })).toBeUndefined()
    expect(await answer({ azp: 'a-native-app' })).toBeUndefined()
  })

  test('is recognised by its issuer, and answered as GoTrue answers what is missing', async () => {
    const token = await issuer.idToken(claims('issuer'))
    const ask = (body: object) => raw(server, '/token?grant_type=id_token', { body })
    const found = await ask({ id_token: token, client_id: 'x', issuer: issuer.url })
    expect(found.status).toBe(200)
    expect((await ask({ provider: 'google' })).json).toEqual({
      error: 'invalid request',
      error_description: 'id_token required',
    })
    expect((await ask({ id_token: 'x' })).json.error_description).toBe(
      'provider or client_id and issuer required',
    )
  })
})

describe('an identity', () => {
  test('is added by an ID token, once and to one account', async () => {
    const { client, session } = await newPerson(server, 'grace+adds@example.com')
    const token = await issuer.idToken(claims('added', { email: 'grace+elsewhere@example.com' }))
    const linked = await client.auth.linkIdentity({ provider: 'google', token })
    expect(linked.error).toBeNull()
    const { data } = await client.auth.getUser()
    expect(data.user).toMatchObject({
      id: session.user.id,
      email: 'grace+adds@example.com',
      app_metadata: { providers: ['email', 'google'] },
    })
    const added = claims('added', { email: 'grace+elsewhere@example.com', jti: 'another' })
    const second = await issuer.idToken(added)
    const again = await client.auth.linkIdentity({ provider: 'google', token: second })
    expect([again.error?.code, again.error?.message]).toEqual([
      'identity_already_exists',
      'Identity is already linked',
    ])
    const other = await newPerson(server, 'theo+adds@example.com')
    const taken = await other.client.auth.linkIdentity({ provider: 'google', token: second })
    expect(taken.error?.message).toBe('Identity is already linked to another user')
    const nobody = await raw(server, '/token?grant_type=id_token', {
      body: { id_token: token, provider: 'google', link_identity: true },
    })
    expect([nobody.status, nobody.json]).toEqual([
      400,
      {
        error: 'invalid request',
        error_description: 'Linking requires a valid user access token in Authorization',
      },
    ])
    // As a change of the password, where a second factor guards the account.
    await server.database.pool.query(
      `insert into auth.mfa_factors (id, user_id, factor_type, status, secret, created_at, updated_at)
       values (gen_random_uuid(), $1, 'totp', 'verified', 'x', now(), now())`,
      [other.session.user.id],
    )
    const fresh = await issuer.idToken(claims('fresh'))
    const guarded = await other.client.auth.linkIdentity({ provider: 'google', token: fresh })
    expect([guarded.error?.status, guarded.error?.code]).toEqual([401, 'insufficient_aal'])
  })

  test('is added by way of the provider in the browser that began it, and given up again', async () => {
    const { client, session } = await newPerson(server, 'grace+way@example.com')
    issuer.person = { ...claims('way'), email: 'grace+work@example.com' }
    const begin = async (browser: Browser) => {
      const address = `${server.url}/auth/v1/user/identities/authorize?provider=google&skip_http_redirect=true`
      const { access_token: token } = (await client.auth.getSession()).data.session ?? session
      const headers = { apikey: server.publishableKey, authorization: `Bearer ${token}` }
      const response = await browser.open(address, { headers })
      return ((await response.json()) as { url: string }).url
    }
    // The address that a stranger made for their own account, opened by somebody else.
    const led = await new Browser().follow(await begin(new Browser()), isSite(server))
    expect(queryOf(led).error_code).toBe('bad_oauth_state')
    const browser = new Browser()
    const end = fragmentOf(await browser.follow(await begin(browser), isSite(server)))
    expect(end.access_token).toBeDefined()
    const identities = (await client.auth.getUserIdentities()).data?.identities ?? []
    expect(identities.map(({ provider }) => provider).sort()).toEqual(['email', 'google'])
    // With the e-mail's identity its address goes, and the other's, which Google has verified, takes its place.
    const [email] = identities.filter(({ provider }) => provider === 'email')
    if (!email) throw new Error('no identity')
    expect((await client.auth.unlinkIdentity(email)).error).toBeNull()
    const { data } = await client.auth.getUser()
    expect(data.user?.email).toBe('grace+work@example.com')
    const [last] = (await client.auth.getUserIdentities()).data?.identities ?? []
    if (!last) throw new Error('no identity')
    expect((await client.auth.unlinkIdentity(last)).error?.code).toBe('single_identity_not_deletable')
  })

  test('is not added once the session that asked for it has ended, by whatever ended it', async () => {
    const email = 'grace+thief@example.com'
    const { client: owner } = await newPerson(server, email)
    issuer.person = { ...claims('thief'), email: 'sam+thief@example.com' }
    const ends: [string, () => PromiseLike<{ error: unknown }>][] = [
      [password, () => owner.auth.signOut({ scope: 'others' })],
      [password, () => owner.auth.updateUser({ password: 'Prairie2026' })],
      ['Prairie2026', () => endOtherSessions(server, owner)],
    ]
    for (const [secret, end] of ends) {
      const { session } = await signIn(server, email, secret)
      const browser = new Browser()
      const headers = { apikey: server.publishableKey, authorization: `Bearer ${session.access_token}` }
      const response = await browser.open(
        `${server.url}/auth/v1/user/identities/authorize?provider=google&skip_http_redirect=true`,
        { headers },
      )
      const { url } = (await response.json()) as { url: string }
      expect((await end()).error).toBeNull()
      expect(queryOf(await browser.follow(url, isSite(server))).error_code).toBe('session_not_found')
    }
    const identities = (await owner.auth.getUserIdentities()).data?.identities ?? []
    expect(identities.map(({ provider }) => provider)).toEqual(['email'])
  })

  test('is not given up where another account has the address that would be left', async () => {
    const { client } = await newPerson(server, 'grace+keeps@example.com')
    await newPerson(server, 'theo+keeps@example.com')
    const token = await issuer.idToken(claims('keeps', { email: 'theo+keeps@example.com' }))
    expect((await client.auth.linkIdentity({ provider: 'google', token })).error).toBeNull()
    const identities = async () => (await client.auth.getUserIdentities()).data?.identities ?? []
    const email = (await identities()).find(({ provider }) => provider === 'email')
    if (!email) throw new Error('no identity')
    const { error } = await client.auth.unlinkIdentity(email)
    expect([error?.status, error?.code, error?.message]).toEqual([
      422,
      'email_conflict_identity_not_deletable',
      'Unable to unlink identity due to email conflict',
    ])
    // Nothing of it is done by half.
    expect((await identities()).map(({ provider }) => provider).sort()).toEqual(['email', 'google'])
    expect((await client.auth.getUser()).data.user?.email).toBe('grace+keeps@example.com')
  })
})

describe('a provider of OAuth 2 alone', () => {
  /** The way there and back, with a code that the provider made up. */
  async function enter(provider: 'github' | 'facebook') {
    const { data } = await stranger(server).auth.signInWithOAuth({
      provider,
      options: { skipBrowserRedirect: true },
    })
    const browser = new Browser()
    const there = queryOf((await browser.open(data.url as string)).headers.get('location') as string)
    asked.length = 0
    const back = `${server.url}/auth/v1/callback?code=a-code&state=${there.state}`
    return { there, end: fragmentOf(await browser.follow(back, isSite(server))) }
  }

  test('GitHub: its API tells who it is, and which address is verified', async () => {
    const { there, end } = await enter('github')
    expect(there).toMatchObject({ scope: 'user:email', code_challenge_method: 'S256' })
    expect(end.provider_token).toBe('github-token')
    expect(asked[0]?.body).toContain('client_secret=github-secret')
    expect(asked[1]?.authorization).toBe('Bearer github-token')
    const { data } = await stranger(server).auth.getUser(end.access_token)
    expect(data.user).toMatchObject({
      email: 'grace+github@example.com',
      user_metadata: { user_name: 'grace', preferred_username: 'grace', provider_id: '7' },
      identities: [{ provider: 'github', id: '7' }],
    })
  })

  test('Facebook: asked with the proof that the token is this app’s', async () => {
    const { end } = await enter('facebook')
    const { data } = await stranger(server).auth.getUser(end.access_token)
    expect(data.user).toMatchObject({
      email: 'grace+facebook@example.com',
      user_metadata: { full_name: 'Grace Field', avatar_url: 'https://pictures.example/f' },
    })
    const proof = createHmac('sha256', 'facebook-secret').update('facebook-token').digest('hex')
    expect(asked.at(-1)?.path).toContain(`appsecret_proof=${proof}`)
  })
})

// Sign-ins by an issuer of OpenID Connect, from the client's call to its session.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { type Issuer, startIssuer } from '../support/issuer.ts'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson, signIn } from './people.ts'
import { authServer, giver, nextMessage, raw } from './project.ts'
import { Browser, fragmentOf, isCallback, isSite, queryOf } from './providers.ts'

let server: TestServer
let issuer: Issuer

beforeAll(async () => {
  const port = await freePort()
  issuer = await startIssuer(`http://localhost:${port}/auth/v1/callback`)
  server = await authServer({
    auth: 'enable_manual_linking = true\nadditional_redirect_urls = ["https://app.example/**"]',
    more: `
[auth.external.keycloak]
enabled = true
client_id = "${issuer.clientId}, a-native-app"
secret = "env(ISSUER_SECRET)"
url = "${issuer.url}"
`,
    options: { env: { PORT: String(port), ISSUER_SECRET: issuer.clientSecret } },
  })
})
afterAll(async () => {
  await server?.stop()
  await issuer?.stop()
})

const provider = 'keycloak' as const
const grace = (tag: string) => ({
  sub: `grace-${tag}`,
  email: `grace+${tag}@example.com`,
  email_verified: true,
  name: 'Grace Field',
  picture: 'https://pictures.example/grace.png',
})

/** Where a client's call would send the browser. */
async function addressFor(options: Record<string, unknown> = {}, pkce = false) {
  const client = stranger(server, undefined, pkce ? { flowType: 'pkce' } : {})
  const { data, error } = await client.auth.signInWithOAuth({
    provider,
    options: { skipBrowserRedirect: true, ...options },
  })
  if (error) throw error
  return { client, url: data.url as string }
}

/** Through the issuer and back, in one browser; answers where it ends. */
async function enter(options: Record<string, unknown> = {}): Promise<string> {
  const { url } = await addressFor(options)
  return new Browser().follow(url, isSite(server))
}

describe('a sign-in by a provider', () => {
  test('makes an account and brings a session in the fragment', async () => {
    issuer.person = grace('new')
    const end = fragmentOf(await enter())
    expect(Object.keys(end).sort()).toEqual([
      ...['access_token', 'expires_at', 'expires_in', 'provider_token', 'refresh_token', 'token_type'],
    ])
    const { data } = await stranger(server).auth.getUser(end.access_token)
    expect(data.user).toMatchObject({
      email: 'grace+new@example.com',
      app_metadata: { provider, providers: [provider] },
      user_metadata: {
        iss: issuer.url,
        sub: 'grace-new',
        provider_id: 'grace-new',
        name: 'Grace Field',
        full_name: 'Grace Field',
        email_verified: true,
        phone_verified: false,
        picture: 'https://pictures.example/grace.png',
        avatar_url: 'https://pictures.example/grace.png',
      },
      identities: [{ provider, id: 'grace-new', email: 'grace+new@example.com' }],
    })
    expect(data.user?.email_confirmed_at).toBeDefined()
    const claims = await stranger(server).auth.getClaims(end.access_token)
    expect(claims.data?.claims.amr).toMatchObject([{ method: 'oauth' }])

    const again = fragmentOf(await enter())
    const second = await stranger(server).auth.getUser(again.access_token)
    expect(second.data.user?.id).toBe(data.user?.id)
    expect(second.data.user?.identities).toHaveLength(1)
  })

  test('brings a code in a PKCE flow, good once and with its verifier alone', async () => {
    issuer.person = grace('pkce')
    const { client, url } = await addressFor({ redirectTo: 'https://app.example/in?tab=1' }, true)
    const end = await new Browser().follow(url, (one) => one.startsWith('https://app.example/'))
    expect(queryOf(end)).toEqual({ tab: '1', code: expect.any(String) })
    expect(new URL(end).hash).toBe('')
    const { code } = queryOf(end) as { code: string }
    const stolen = await raw(server, '/token?grant_type=pkce', {
      body: { auth_code: code, code_verifier: 'x'.repeat(60) },
    })
    expect([stolen.status, stolen.json.error_code]).toEqual([400, 'bad_code_verifier'])
    const { data, error } = await client.auth.exchangeCodeForSession(code)
    expect(error).toBeNull()
    expect(data.session?.provider_token).toEqual(expect.any(String))
    expect(data.user?.email).toBe('grace+pkce@example.com')
    expect((await client.auth.exchangeCodeForSession(code)).error).not.toBeNull()
  })

  test('passes on what the client asks for, and nothing that this server sets itself', async () => {
    const { url } = await addressFor({
      scopes: 'offline_access,phone',
      queryParams: { prompt: 'login', login_hint: 'grace', redirect_uri: 'https://evil.example', state: 'x' },
    })
    const address = new URL(`${url}&response_type=token&Client_ID=evil&request=x`)
    const { location } = Object.fromEntries((await new Browser().open(address.href)).headers)
    const sent = queryOf(location as string)
    expect(sent).toMatchObject({
      prompt: 'login',
      login_hint: 'grace',
      client_id: issuer.clientId,
      response_type: 'code',
      scope: 'openid email profile offline_access phone',
      code_challenge_method: 'S256',
      redirect_uri: `${server.url}/auth/v1/callback`,
      nonce: expect.any(String),
    })
    expect(sent.state).toMatch(/^[0-9a-f-]{36}$/)
    for (const name of ['Client_ID', 'request', 'provider', 'redirect_to', 'scopes', 'skip_http_redirect'])
      expect(sent).not.toHaveProperty(name)
  })

  test('never ends at an address that the project does not allow', async () => {
    issuer.person = grace('open-redirect')
    const end = await enter({ redirectTo: 'https://evil.example/steal' })
    expect(end.startsWith(`${server.url}`)).toBe(true)
    expect(fragmentOf(end).access_token).toBeDefined()
  })

  test('takes the provider’s refusal to the application, in query and fragment', async () => {
    issuer.person = null
    const { url } = await addressFor({ redirectTo: 'https://app.example/in' })
    const refused = await new Browser().follow(url, (one) => one.startsWith('https://app.example/'))
    const why = { error: 'access_denied', error_description: 'The user declined' }
    expect(queryOf(refused)).toEqual(why)
    expect(fragmentOf(refused)).toEqual(why)
  })
})

describe('the way back', () => {
  /** A callback that nobody has opened yet. */
  async function pendingCallback(person = grace('state'), browser = new Browser()) {
    issuer.person = person
    const { url } = await addressFor()
    return { browser, url: await browser.follow(url, isCallback) }
  }
  const errorOf = (end: string) => queryOf(end).error_code

  test('is taken once', async () => {
    const { browser, url } = await pendingCallback()
    expect(fragmentOf(await browser.follow(url, isSite(server))).access_token).toBeDefined()
    expect(errorOf(await browser.follow(url, isSite(server)))).toBe('bad_oauth_state')
    const both = await pendingCallback()
    const ends = await Promise.all([1, 2, 3].map(() => both.browser.follow(both.url, isSite(server))))
    expect(ends.filter((end) => fragmentOf(end).access_token)).toHaveLength(1)
    // The flow of a client with PKCE stays until its code is exchanged, and still ends once.
    issuer.person = grace('state')
    const { url: address } = await addressFor({}, true)
    const pkce = new Browser()
    const back = await pkce.follow(address, isCallback)
    expect(queryOf(await pkce.follow(back, isSite(server))).code).toBeDefined()
    expect(queryOf(await pkce.follow(back, isSite(server)))).toMatchObject({
      error_code: 'flow_state_already_used',
      error_description: 'State has already been used',
    })
  })

  test('is not taken in another browser, so nobody is led into a stranger’s account', async () => {
    const { url } = await pendingCallback(grace('led'))
    expect(errorOf(await new Browser().follow(url, isSite(server)))).toBe('bad_oauth_state')
    const rows = await server.database.pool.query('select from auth.users where email = $1', [
      'grace+led@example.com',
    ])
    expect(rows.rowCount).toBe(0)
  })

  test('is not taken without, with a made-up or with an old state', async () => {
    const at = (query: string) =>
      new Browser().follow(`${server.url}/auth/v1/callback?${query}`, isSite(server))
    expect(errorOf(await at('code=x'))).toBe('bad_oauth_callback')
    expect(errorOf(await at('code=x&state=1'))).toBe('bad_oauth_state')
    expect(errorOf(await at('code=x&state=00000000-0000-4000-8000-000000000000'))).toBe('bad_oauth_state')
    const { browser, url } = await pendingCallback()
    await server.database.pool.query(
      `update auth.flow_state set created_at = now() - interval '6 minutes' where id = $1`,
      [queryOf(url).state],
    )
    const late = await browser.follow(url, isSite(server))
    expect(queryOf(late)).toMatchObject({
      error: 'invalid_request',
      error_description: 'OAuth state has expired',
    })
  })

  test('is not taken with another issuer’s answer, nor with a code of another sign-in', async () => {
    const mixed = await pendingCallback()
    const address = new URL(mixed.url)
    address.searchParams.set('iss', 'https://evil.example')
    expect(errorOf(await mixed.browser.follow(address.href, isSite(server)))).toBe('unexpected_failure')
    const [hers, theirs] = [await pendingCallback(), await pendingCallback(grace('injected'))]
    const injected = new URL(hers.url)
    injected.searchParams.set('code', queryOf(theirs.url).code as string)
    const end = await hers.browser.follow(injected.href, isSite(server))
    expect(queryOf(end)).toMatchObject({
      error: 'server_error',
      error_description: 'Unable to exchange external code',
    })
    const made = await server.database.pool.query('select from auth.users where email = $1', [
      'grace+injected@example.com',
    ])
    expect(made.rowCount).toBe(0)
  })

  test('may be a form that the provider has the browser send', async () => {
    const { browser, url } = await pendingCallback(grace('form'))
    const response = await browser.open(`${server.url}/auth/v1/callback`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URL(url).search.slice(1),
    })
    expect(response.status).toBe(302)
    expect(fragmentOf(response.headers.get('location') as string).access_token).toBeDefined()
  })
})

describe('accounts are joined', () => {
  test('by an address that the provider has verified', async () => {
    const { session } = await newPerson(server, 'grace+joined@example.com')
    issuer.person = grace('joined')
    const { data } = await stranger(server).auth.getUser(fragmentOf(await enter()).access_token)
    expect(data.user?.id).toBe(session.user.id)
    expect(data.user?.app_metadata.providers).toEqual(['email', provider])
    await signIn(server, 'grace+joined@example.com')
  })

  test('never by one that it has not', async () => {
    const { session } = await newPerson(server, 'grace+unproved@example.com')
    issuer.person = { ...grace('unproved'), sub: 'sam-unproved', email_verified: false }
    expect(queryOf(await enter())).toMatchObject({
      error: 'access_denied',
      error_code: 'provider_email_needs_verification',
      error_description: `Unverified email with ${provider}. Verify the email with ${provider} in order to sign in`,
    })
    const rows = await server.database.pool.query(
      'select provider from auth.identities where user_id = $1 or provider_id = $2',
      [session.user.id, 'sam-unproved'],
    )
    expect(rows.rows).toEqual([{ provider: 'email' }])
  })

  test('with an account that nobody has confirmed only once all that led into it is gone', async () => {
    const email = 'grace+claimed@example.com'
    const sams = { email, password: 'SamWasHere1' }
    await stranger(server).auth.signUp({
      ...sams,
      options: { data: { full_name: 'Sam Stone', phone: null, role: 'task_doer' } },
    })
    issuer.person = grace('claimed')
    const { data } = await stranger(server).auth.getUser(fragmentOf(await enter()).access_token)
    expect(data.user).toMatchObject({ email, app_metadata: { providers: [provider] } })
    expect(data.user?.user_metadata.full_name).toBe('Grace Field')
    expect((await stranger(server).auth.signInWithPassword(sams)).error?.code).toBe('invalid_credentials')
  })

  test('by the e-mail where the provider has not verified the address, and not for people who came before', async () => {
    const email = 'grace+email@example.com'
    const seen = await server.inbox()
    issuer.person = { ...grace('email'), sub: 'sam-email', email_verified: false }
    expect(queryOf(await enter()).error_description).toContain('A confirmation email has been sent')
    await nextMessage(server, email, seen)
    // Grace signs up herself before anybody follows that e-mail: the stranger's identity is gone with the claim.
    const { session } = await newPerson(server, email)
    expect(session.user.identities?.map((one) => one.provider)).toEqual(['email'])
    const { rowCount } = await server.database.pool.query(
      `select from auth.identities where provider_id = 'sam-email'`,
    )
    expect(rowCount).toBe(0)
  })

  test('by recovery without the identity that a stranger claimed the address with', async () => {
    const email = 'grace+recovered@example.com'
    const seen = await server.inbox()
    issuer.person = { ...grace('recovered'), sub: 'sam-recovered', email_verified: false }
    await enter()
    const first = await nextMessage(server, email, seen)
    await stranger(server).auth.signInWithOtp({ email, options: { shouldCreateUser: false } })
    const { code } = await nextMessage(server, email, [...seen, first])
    const { data } = await stranger(server).auth.verifyOtp({ email, token: code as string, type: 'email' })
    expect(data.user?.identities?.map((one) => one.provider)).toEqual(['email'])
  })

  test('without the password of a stranger’s claim, although the e-mail is too early to be sent', async () => {
    const email = 'grace+early@example.com'
    const { email: settings } = server.services.config.auth
    settings.max_frequency = 60
    try {
      const claim = { email, password: 'SamWasHere1' }
      const signUp = { ...claim, options: { data: giver('Sam') } }
      expect((await stranger(server).auth.signUp(signUp)).error).toBeNull()
      issuer.person = { ...grace('early'), email_verified: false }
      expect(queryOf(await enter()).error_description).toContain('you can only request this after')
      const { error } = await stranger(server).auth.signInWithPassword(claim)
      expect(error?.code).toBe('invalid_credentials')
    } finally {
      settings.max_frequency = 0
    }
  })

  test('never with banned people', async () => {
    const { session } = await newPerson(server, 'grace+banned@example.com')
    const admin = stranger(server, server.secretKey).auth.admin
    await admin.updateUserById(session.user.id, { ban_duration: '1h' })
    issuer.person = grace('banned')
    expect(queryOf(await enter())).toMatchObject({ error: 'access_denied', error_code: 'user_banned' })
  })
})

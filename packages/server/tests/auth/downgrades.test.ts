// Ways to get with less than is asked for: without the second step, without PKCE's verifier, by an address that only looks
// allowed.

import { Secret, TOTP } from 'otpauth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stranger } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import { newPerson, signIn } from './people.ts'
import { authServer, nextMessage, raw } from './project.ts'
import { approve, CALLBACK, oauthServer, registeredApp, requestToken } from './third-party.ts'

let server: TestServer
beforeAll(async () => {
  server = await authServer({
    auth: 'enable_manual_linking = true\nadditional_redirect_urls = ["https://app.example/**"]',
    email: 'require_current_password = true',
    more: `${oauthServer}
[auth.mfa.totp]
enroll_enabled = true
verify_enabled = true
[auth.mfa.web_authn]
enroll_enabled = true
verify_enabled = true
[auth.passkey]
enabled = true
[auth.webauthn]
rp_id = "localhost"
rp_origins = ["http://localhost:3000"]
`,
  })
})
afterAll(() => server?.stop())

/** Somebody with an authenticator app, and also a sign-in by password alone. */
async function withSecondFactor(email: string) {
  await newPerson(server, email)
  const { client: owner } = await signIn(server, email)
  const { data } = await owner.auth.mfa.enroll({ factorType: 'totp', friendlyName: 'App' })
  const code = new TOTP({ secret: Secret.fromBase32(data?.totp?.secret as string) }).generate()
  const { error } = await owner.auth.mfa.challengeAndVerify({ factorId: data?.id as string, code })
  if (error) throw error
  return { half: (await signIn(server, email)).client, factorId: data?.id as string }
}

test('before the second step nothing of the account changes, by whichever way in', async () => {
  const email = 'grace+aal@example.com'
  const { half, factorId } = await withSecondFactor(email)
  const seen = await server.inbox()
  await stranger(server).auth.resetPasswordForEmail(email)
  const { code: recovery } = await nextMessage(server, email, seen)
  const recovered = stranger(server)
  await recovered.auth.verifyOtp({ email, token: recovery as string, type: 'recovery' })
  const sent = await server.inbox()
  await stranger(server).auth.signInWithOtp({ email })
  const { code: link } = await nextMessage(server, email, sent)
  const linked = stranger(server)
  await linked.auth.verifyOtp({ email, token: link as string, type: 'email' })
  for (const client of [half, recovered, linked]) {
    const { data } = await client.auth.mfa.getAuthenticatorAssuranceLevel()
    expect(data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
    const bearer = (await client.auth.getSession()).data.session?.access_token as string
    const password = { password: 'Prairie2026', current_password: 'Meadowlark1', nonce: '123456' }
    const tries: [method: string, path: string, body: object][] = [
      ['PUT', '/user', password],
      ['PUT', '/user', { email: 'nobody@example.com' }],
      ['PUT', '/user', { phone: '+13065550133' }],
      ['DELETE', `/user/identities/${factorId}`, {}],
      ['POST', '/factors', { factor_type: 'totp', friendly_name: 'Mine' }],
      ['POST', '/factors', { factor_type: 'webauthn', friendly_name: 'Mine' }],
      ['DELETE', `/factors/${factorId}`, {}],
      ['POST', '/passkeys/registration/options', {}],
    ]
    for (const [method, path, body] of tries) {
      const { json } = await raw(server, path, { method, body, bearer })
      expect([method, path, json.error_code]).toEqual([method, path, 'insufficient_aal'])
    }
    const linking = await raw(server, '/user/identities/authorize?provider=google', { bearer })
    expect([linking.status, linking.json.error_code]).toEqual([401, 'insufficient_aal'])
  }
  await signIn(server, email)
})

test('an application gets no code without a challenge, and no token without its verifier', async () => {
  const app = await registeredApp(server)
  const { client } = await newPerson(server, 'grace+pkce@example.com')
  const challenges: Record<string, string>[] = [
    {},
    { code_challenge: 'x'.repeat(43) },
    { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' },
  ]
  for (const challenge of challenges) {
    const asked = { client_id: app.clientId, redirect_uri: CALLBACK, response_type: 'code', ...challenge }
    const url = `${server.url}/auth/v1/oauth/authorize?${new URLSearchParams({ ...asked, state: 'x' })}`
    const back = new URL((await fetch(url, { redirect: 'manual' })).headers.get('location') as string)
    expect([challenge, back.searchParams.get('error')]).toEqual([challenge, 'invalid_request'])
  }
  const { authorizationId, verifier } = await app.ask()
  const code = new URL(await approve(client, authorizationId)).searchParams.get('code') as string
  const exchange = (more: Record<string, string>) =>
    requestToken(server, app, { grant_type: 'authorization_code', redirect_uri: CALLBACK, code, ...more })
  const missing = await exchange({})
  expect([missing.status, missing.json.access_token]).toEqual([400, undefined])
  expect(verifier).not.toBe('')
})

test('a challenge that was sent with a link is not its own verifier', async () => {
  const email = 'grace+verifier@example.com'
  await newPerson(server, email)
  const challenge = 'a'.repeat(43)
  const seen = await server.inbox()
  const body = { email, code_challenge: challenge, code_challenge_method: 's256' }
  await raw(server, '/recover', { body })
  const [link = ''] = (await nextMessage(server, email, seen)).links
  const back = new URL((await fetch(link, { redirect: 'manual' })).headers.get('location') as string)
  expect(back.hash).not.toContain('access_token')
  const auth_code = back.searchParams.get('code')
  for (const code_verifier of ['', challenge]) {
    const { status } = await raw(server, '/token?grant_type=pkce', { body: { auth_code, code_verifier } })
    expect([code_verifier, status]).toEqual([code_verifier, 400])
  }
})

test('an address with letters beyond ASCII is gone to, encoded', async () => {
  const letters = '/寿司/straße?q=Łódź#ж'
  const encoded = '/%E5%AF%BF%E5%8F%B8/stra%C3%9Fe?q=%C5%81%C3%B3d%C5%BA'
  const query = (more: object) =>
    new URLSearchParams({ redirect_to: `https://app.example${letters}`, ...more })
  const locationOf = async (path: string) => {
    const { status, headers } = await fetch(`${server.url}/auth/v1${path}`, { redirect: 'manual' })
    return [status, headers.get('location')]
  }
  const [status, link] = await locationOf(`/verify?${query({ type: 'recovery', token: 'none' })}`)
  expect([status, String(link).split('#')[0]]).toEqual([303, `https://app.example${encoded}`])
  // An error of a provider, which says anything.
  const back = await locationOf(`/callback?${query({ state: 'none', error_description: '寿司' })}`)
  expect(back[0]).toBe(302)
  const provider = await raw(server, `/authorize?${query({ provider: '寿司' })}`)
  expect(provider.status).toBe(400)
  const app = await registeredApp(server, { callback: `https://app.example/寿司` })
  const wrong = { client_id: app.clientId, redirect_uri: 'https://app.example/寿司', response_type: 'x' }
  const refused = await locationOf(`/oauth/authorize?${new URLSearchParams(wrong)}`)
  expect([refused[0], String(refused[1]).split('?')[0]]).toEqual([
    302,
    `https://app.example/%E5%AF%BF%E5%8F%B8`,
  ])
})

test('no address that only looks allowed is gone to', async () => {
  const allowed = ['https://app.example', new URL(server.url).origin]
  for (const address of [
    'https://app.example@evil.example/',
    'https://app.example:443@evil.example/',
    'https://app.example%2f@evil.example/',
    'https://app.example\\@evil.example/',
    'https://app.example\\.evil.example/',
    'https://app.example.evil.example/',
    'https://evil.example/https://app.example/',
    'https://evil.example/?https://app.example/x',
    'https://evil.example#https://app.example/x',
    'https://app.example\n.evil.example/',
    '\thttps://evil.example/',
    '//evil.example/',
    '/\\evil.example/',
    'https:evil.example',
    'javascript:alert(1)//https://app.example/',
    'data:text/html,https://app.example/',
    `${server.url}@evil.example/`,
    `${server.url}.evil.example/`,
    'http://app.example/x',
  ]) {
    const query = new URLSearchParams({ type: 'recovery', token: 'none', redirect_to: address })
    const { headers } = await fetch(`${server.url}/auth/v1/verify?${query}`, { redirect: 'manual' })
    const { origin } = new URL(headers.get('location') ?? '', server.url)
    expect(allowed, `${address} → ${headers.get('location')}`).toContain(origin)
    if (address.startsWith('http://app')) expect(origin).toBe(allowed[1])
  }
})

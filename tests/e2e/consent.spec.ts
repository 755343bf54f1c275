// Signing in to an application of somebody else: a server by openid-client on a separate port, and the page on which
// a person decides.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from '@playwright/test'
import * as oidc from 'openid-client'
import { expectGoodLooks } from './accessibility.ts'
import { expect, NARROW, test, toast } from './fixtures.ts'
import type { AppServer } from './server.ts'

/** An application: `/` sends to the sign-in, `/callback` shows who came, or why nobody did. */
async function startApp(server: AppServer) {
  const flows = new Map<string, string>()
  let config: oidc.Configuration
  const answer = async (url: URL): Promise<{ location: string } | string> => {
    const redirectUri = `${url.origin}/callback`
    if (url.pathname === '/callback') {
      const state = url.searchParams.get('state') ?? ''
      const checks = { pkceCodeVerifier: flows.get(state) ?? '', expectedState: state }
      const tokens = await oidc.authorizationCodeGrant(config, url, checks)
      return `Hello ${tokens.claims()?.name}, ${tokens.claims()?.email}`
    }
    const verifier = oidc.randomPKCECodeVerifier()
    const state = oidc.randomState()
    flows.set(state, verifier)
    const location = oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return { location: location.href }
  }
  const http = createServer((request, response) => {
    const origin = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
    answer(new URL(request.url ?? '/', origin)).then(
      (given) => {
        if (typeof given === 'string') response.setHeader('content-type', 'text/plain').end(given)
        else response.writeHead(302, given).end()
      },
      ({ error, message }: { error?: string; message: string }) => response.end(error ?? message),
    )
  })
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const registered = await fetch(`${server.url}/auth/v1/admin/oauth/clients`, {
    method: 'POST',
    headers: { apikey: server.secretKey, authorization: `Bearer ${server.secretKey}` },
    body: JSON.stringify({ client_name: 'Yard Planner', redirect_uris: [`${url}/callback`] }),
  })
  const client = (await registered.json()) as { client_id: string; client_secret: string }
  config = await oidc.discovery(
    new URL(`${server.url}/auth/v1`),
    client.client_id,
    client.client_secret,
    oidc.ClientSecretBasic(client.client_secret),
    { execute: [oidc.allowInsecureRequests] },
  )
  return { url, stop: () => new Promise((closed) => http.close(closed)) }
}

test('a person signs in to another app, which learns who it is, and takes it back', async ({
  page,
  server,
  problems,
}) => {
  const app = await startApp(server)
  problems.allow(new RegExp(`^another origin: ${app.url}/`))
  const email = await server.newAccount('grace')
  const openApp = async (at: Page) => {
    await at.goto(`${app.url}/`)
    await expect(at.getByRole('heading', { name: 'Sign in to Yard Planner' })).toBeVisible()
  }
  // Nobody is signed in: that comes first, and leads back.
  await page.goto(`${app.url}/`)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill('Meadowlark1')
  await page.getByRole('main').getByRole('button', { name: 'Sign In', exact: true }).click()
  const seen = page.getByRole('region', { name: 'It would see' }).getByRole('listitem')
  await expect(seen).toHaveText([/^That it is you/, /^Your name/, /^Your email address$/])
  await expect(page.getByText(email)).toBeVisible()
  await expectGoodLooks(page)

  // The page cannot be framed.
  const headers = (await page.request.get('/oauth/consent', { headers: { accept: 'text/html' } })).headers()
  expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
  expect(headers['x-frame-options']).toBe('DENY')

  // Another account, then no.
  await page.getByRole('button', { name: 'Use another account' }).click()
  const other = await server.newAccount('theo')
  await page.getByLabel('Email').fill(other)
  await page.getByLabel('Password', { exact: true }).fill('Meadowlark1')
  await page.getByRole('main').getByRole('button', { name: 'Sign In', exact: true }).click()
  await expect(page.getByText(other)).toBeVisible()
  const answered = page.url()
  await page.getByRole('button', { name: 'Deny' }).click()
  await expect(page.getByText('access_denied')).toBeVisible()

  // An answered request is over.
  problems.allow(/^400 GET \/auth\/v1\/oauth\/authorizations\//)
  await page.goto(answered)
  await expect(page.getByText('This request has expired')).toBeVisible()

  await page.setViewportSize(NARROW)
  await openApp(page)
  await page.getByRole('button', { name: 'Approve' }).click()
  await expect(page.getByText(`, ${other}`)).toBeVisible()
  // The same is not asked for again.
  await page.goto(`${app.url}/`)
  await expect(page.getByText(`, ${other}`)).toBeVisible()

  await page.goto(`${server.url}/profile?tab=security`)
  const apps = page.getByRole('region', { name: 'Apps with access' })
  await expect(apps.getByRole('listitem')).toContainText(
    /Yard Planner.*who you are, your name, and your email address/s,
  )
  await apps.getByRole('button', { name: 'Revoke the access of Yard Planner' }).click()
  await expect(toast(page, 'Yard Planner no longer has access')).toBeVisible()
  await expect(apps).toContainText('No apps have access.')
  await openApp(page)
  await app.stop()
})

// The inbox: JSON for tests and scripts, a page for people, and nothing that a message can do to its reader.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const put = (message: Record<string, string | null>) =>
  server.database.pool.query(
    'insert into sandbox.inbox (kind, recipient, subject, text, html) values ($1, $2, $3, $4, $5)',
    [message.kind, message.to, message.subject ?? null, message.text ?? null, message.html ?? null],
  )
const page = async (query = '') => (await fetch(`${server.url}/sandbox/inbox${query}`)).text()

it('lists the newest first, with links and codes', async () => {
  await put({ kind: 'sms', to: '+13065550100', text: 'Your code is 123456' })
  await put({
    kind: 'mail',
    to: 'Grace@example.com',
    subject: 'Confirm',
    text: 'Open http://localhost:3000/auth/v1/verify?token=abc123456&type=signup',
    html: '<a href="http://localhost:3000/auth/v1/verify?token=abc123456&amp;type=signup">Confirm</a><a href="javascript:alert(1)">x</a>',
  })
  const messages = await server.inbox()
  expect(messages[0]).toMatchObject({
    kind: 'mail',
    to: 'Grace@example.com',
    subject: 'Confirm',
    links: ['http://localhost:3000/auth/v1/verify?token=abc123456&type=signup'],
    code: null,
  })
  expect(messages[1]).toMatchObject({ kind: 'sms', code: '123456', links: [], html: null })
  expect(Date.parse(messages[0]?.created_at ?? '')).toBeGreaterThan(0)
})

it('finds by recipient', async () => {
  const response = await fetch(`${server.url}/sandbox/inbox.json?to=grace@`)
  expect(await response.json()).toHaveLength(1)
  expect(await page('?to=grace@')).not.toContain('+13065550100')
  expect(await page('?to=nobody')).toContain('No messages to nobody')
})

it('shows what people wrote as text', async () => {
  const evil = '"><script>alert(1)</script><img src=x onerror=alert(1)>'
  await put({
    kind: 'mail',
    to: `${evil}@example.com`,
    subject: evil,
    text: evil,
    html: `<b>bold</b>${evil}`,
  })
  for (const html of [await page(), await page(`?to=${encodeURIComponent(evil)}`)]) {
    expect(html).not.toContain('<script>alert')
    expect(html).not.toContain('<img src=x')
  }
  const html = await page()
  expect(html).toMatch(/<iframe[^>]* sandbox="allow-popups allow-popups-to-escape-sandbox" srcdoc="/)
  const response = await fetch(`${server.url}/sandbox/inbox`)
  expect(response.headers.get('content-security-policy')).toMatch(/default-src 'none'.*script-src 'nonce-/)
})

it('answers 304 while nothing is new', async () => {
  const first = await fetch(`${server.url}/sandbox/inbox/list`)
  const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
  expect((await fetch(`${server.url}/sandbox/inbox/list`, { headers })).status).toBe(304)
  await put({ kind: 'sms', to: '+13065550100', text: 'Another' })
  expect((await fetch(`${server.url}/sandbox/inbox/list`, { headers })).status).toBe(200)
})

it('does not fall over a message that is not there', async () => {
  expect((await fetch(`${server.url}/sandbox/inbox.json?to=a%00b`)).status).toBe(200)
  expect((await fetch(`${server.url}/sandbox/stripe/authenticate/%00?client_secret=%00`)).status).toBe(404)
  for (const id of ['0', 'x', '99999999999999999999', "1' or '1'='1"]) {
    const response = await fetch(`${server.url}/sandbox/inbox?message=${encodeURIComponent(id)}`)
    expect(response.status).toBe(200)
  }
})

// Outgoing push messages. They are encrypted for one browser and signed by the server's key. A browser that is gone
// is forgotten, a push service that is away is tried again, and nobody else is called.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decodeProtectedHeader, importJWK, jwtVerify } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { isPushService } from '../../../supabase/functions/send-push/push.ts'
import { newBrowser } from '../../support/browser.ts'
import { makeAccount } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { soon } from './paid-job.ts'

let server: TestServer
let service: Server
let origin: string
let status = 201
const received: { path: string; headers: IncomingHttpHeaders; body: Buffer }[] = []

beforeAll(async () => {
  service = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    received.push({ path: request.url ?? '', headers: request.headers, body })
    response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  server = await startTestServer({ env: { PUSH_SERVICES: origin, VAPID_SUBJECT: 'mailto:ada@example.com' } })
})
afterAll(async () => {
  await server.stop()
  service.close()
})
beforeEach(async () => {
  await server.database.pool.query('delete from public.push_subscriptions')
  received.length = 0
  status = 201
})

async function subscribed(pushService = origin) {
  const browser = newBrowser(pushService)
  const { endpoint, p256dh, auth_secret } = browser
  await keep({ endpoint, p256dh, auth_secret })
  return browser
}
/** As a row: the push service of these tests has no public name, so that its browsers cannot subscribe. */
const keep = async (row: { endpoint: string; p256dh: string; auth_secret: string }) =>
  server.database.pool.query(
    `insert into public.push_subscriptions (user_id, endpoint, p256dh, auth_secret) values ($1, $2, $3, $4)`,
    [await makeAccount(server, 'theo'), row.endpoint, row.p256dh, row.auth_secret],
  )
const tell = () =>
  server.database.pool.query(
    `select private.notify_person(id, 'application_accepted', $1, '/bookings?booking=1') from auth.users
     where email = 'theo@example.com'`,
    [JSON.stringify({ person: 'Grace', task: 'Élan & Söhne 🌾' })],
  )
const count = async (table: string) =>
  (await server.database.pool.query(`select count(*)::int from ${table}`)).rows[0].count

it('arrives by the job that the event queued, for that browser alone, signed by the key of /config.json', async () => {
  const browser = await subscribed()
  await tell()
  await expect.poll(() => received.length, soon).toBe(1)
  const [push] = received
  expect(push?.path).toBe(new URL(browser.endpoint).pathname)
  expect(push?.headers['content-encoding']).toBe('aes128gcm')
  expect(browser.read(push?.body as Buffer)).toEqual({
    title: 'Application accepted',
    body: expect.stringContaining('Élan & Söhne 🌾'),
    link: '/bookings?booking=1',
  })
  expect(() => newBrowser().read(push?.body as Buffer)).toThrow()

  const { vapidPublicKey } = await (await fetch(`${server.url}/config.json`)).json()
  const [, token = '', key] = /^vapid t=([^,]+), ?k=(\S+)$/.exec(push?.headers.authorization ?? '') ?? []
  expect(key).toBe(vapidPublicKey)
  const point = Buffer.from(vapidPublicKey, 'base64url')
  const x = point.subarray(1, 33).toString('base64url')
  const y = point.subarray(33).toString('base64url')
  expect(decodeProtectedHeader(token).alg).toBe('ES256')
  const { payload } = await jwtVerify(token, await importJWK({ kty: 'EC', crv: 'P-256', x, y }, 'ES256'))
  expect(payload).toMatchObject({ aud: origin, sub: 'mailto:ada@example.com' })
  await expect.poll(() => count('private.push_messages'), soon).toBe(0)
})

it('speaks the language of its reader', async () => {
  const browser = await subscribed()
  const speak = (language: string) =>
    server.database.pool.query(
      `update private.profiles set language = $1 where id = (select id from auth.users where email = 'theo@example.com')`,
      [language],
    )
  await speak('de')
  await tell()
  await expect.poll(() => received.length, soon).toBe(1)
  await speak('en')
  expect(browser.read(received[0]?.body as Buffer)).toMatchObject({ title: 'Bewerbung angenommen' })
})

it.each([404, 410])('a push service that answers %i ends the subscription', async (gone) => {
  await subscribed()
  status = gone
  await tell()
  await expect.poll(() => count('public.push_subscriptions'), soon).toBe(0)
})

it('a message that a push service puts off waits for another try', async () => {
  await subscribed()
  status = 503
  await tell()
  const waits = 'private.push_messages where due_at > now() and taken_until is null and attempts = 1'
  await expect.poll(() => count(waits), soon).toBe(1)
  expect(await count('public.push_subscriptions')).toBe(1)
})

it('an address that is no push service is never called', async () => {
  const [inside] = [`${server.url}/rest/v1`]
  await subscribed(inside)
  await tell()
  await expect.poll(() => count('private.push_messages'), soon).toBe(0)
  for (const endpoint of [
    'https://localhost/x',
    'https://169.254.169.254/latest',
    'http://fcm.googleapis.com/x',
    'https://fcm.googleapis.com:8443/x',
    'https://fcm.googleapis.com.example.com/x',
    'https://fcm.googleapis.com@127.0.0.1/x',
  ])
    expect(isPushService(endpoint, {}), endpoint).toBe(false)
  for (const endpoint of [
    'https://fcm.googleapis.com/fcm/send/x',
    'https://updates.push.services.mozilla.com/wpush/v2/x',
    'https://wns2-par02p.notify.windows.com/w/?token=x',
    'https://web.push.apple.com/x',
  ])
    expect(isPushService(endpoint, {}), endpoint).toBe(true)
})

it('nobody but the secret key makes it send', async () => {
  const answer = await fetch(`${server.url}/functions/v1/send-push`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.publishableKey}` },
  })
  expect(answer.status).toBe(401)
})

/** The same point in 33 bytes (SEC 1, section 2.3.3). */
function compressed(p256dh: string): string {
  const point = Buffer.from(p256dh, 'base64url')
  return Buffer.concat([Buffer.from([2 + ((point[64] as number) % 2)]), point.subarray(1, 33)]).toString(
    'base64url',
  )
}

it('of malformed subscriptions harms no other: they are forgotten, the rest of the batch arrives', async () => {
  const { endpoint, p256dh, auth_secret } = newBrowser(origin)
  const offCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 7)]).toString('base64url')
  const malformed = [
    { endpoint: 'not an address', p256dh, auth_secret },
    { endpoint: 'https://', p256dh, auth_secret },
    { endpoint: `${endpoint}/short`, p256dh: 'BA', auth_secret },
    { endpoint: `${endpoint}/compressed`, p256dh: compressed(p256dh), auth_secret },
    { endpoint: `${endpoint}/curve`, p256dh: offCurve, auth_secret },
    { endpoint: `${endpoint}/letters`, p256dh: '%'.repeat(87), auth_secret },
    { endpoint: `${endpoint}/secret`, p256dh, auth_secret: auth_secret.slice(0, 10) },
    { endpoint: `${endpoint}/empty`, p256dh, auth_secret: '' },
  ]
  for (const row of malformed) await keep(row)
  const browsers = [await subscribed(), await subscribed(), await subscribed()]
  await tell()
  await expect
    .poll(() => received.map(({ path }) => path).sort(), soon)
    .toEqual(browsers.map((browser) => new URL(browser.endpoint).pathname).sort())
  await expect.poll(() => count('private.push_messages'), soon).toBe(0)
  expect(await count('public.push_subscriptions')).toBe(browsers.length)
})

// An imported calendar through the real server: read by the function's own code, whose way into the internet leads to this test.
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readerOver } from '../../../supabase/functions/read-calendars/handler.ts'
import { selfSigned } from '../../support/certificates.ts'
import { signedIn } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { soon } from './paid-job.ts'

const HOST = 'calendar.example'
let server: TestServer
let calendar: Server
let certificate: string
let answer: { status?: number; body: string; etag?: string } = { body: '' }

beforeAll(async () => {
  server = await startTestServer()
  const { pem, key } = await selfSigned(HOST)
  certificate = pem
  calendar = createServer({ key, cert: pem }, (request, response) => {
    if (answer.etag && request.headers['if-none-match'] === answer.etag) response.writeHead(304).end()
    else response.writeHead(answer.status ?? 200, answer.etag ? { etag: answer.etag } : {}).end(answer.body)
  })
  await new Promise<void>((resolve) => calendar.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  calendar.close()
  await server.stop()
})

const address = () => `https://${HOST}:${(calendar.address() as AddressInfo).port}/${randomUUID()}.ics`
const file = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'BEGIN:VEVENT', 'UID:1', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join(
    '\r\n',
  )

/** Reads every calendar now. */
async function readAll(): Promise<void> {
  const read = readerOver({
    resolve: async () => ['127.0.0.1'],
    isPublic: (each) => each === '127.0.0.1',
    options: { ca: certificate },
  })
  await server.database.pool.query('update public.imported_calendars set due_at = now()')
  const response = await read(
    new Request(server.url, { method: 'POST', headers: { authorization: `Bearer ${server.secretKey}` } }),
    {
      SUPABASE_URL: server.url,
      SUPABASE_ANON_KEY: server.publishableKey,
      SUPABASE_SERVICE_ROLE_KEY: server.secretKey,
    },
  )
  expect(response.status).toBe(200)
}

it('its busy times are stored without titles, replaced, kept while nothing changes, and a failure has a code', async () => {
  const theo = await signedIn(server, 'theo')
  const me = (await theo.auth.getUser()).data.user?.id
  const added = await theo
    .from('imported_calendars')
    .insert({ user_id: me, name: 'Family', address: address() })
  expect(added.error).toBeNull()
  const state = async () =>
    (await theo.from('imported_calendars').select('error,busy_times,failures,etag').single().throwOnError())
      .data
  // The server's own function looks for the name in the internet, where it is not.
  await expect.poll(state, soon).toMatchObject({ error: 'unreachable', failures: 1 })

  const day = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10).replaceAll('-', '')
  answer = {
    body: file(
      `DTSTART:${day}T150000Z`,
      'DURATION:PT2H',
      'SUMMARY:Dentist, secret',
      'RRULE:FREQ=WEEKLY;COUNT=3',
    ),
    etag: '"1"',
  }
  await readAll()
  expect(await state()).toEqual({ error: null, busy_times: 3, failures: 0, etag: '"1"' })
  const { rows } = await server.database.pool.query('select * from private.calendar_busy order by period')
  expect(rows).toHaveLength(3)
  expect(JSON.stringify(rows)).not.toContain('secret')
  answer.body = 'something else, which is not asked for'
  await readAll()
  expect(await state()).toMatchObject({ error: null, busy_times: 3 })

  for (const [status, body, error] of [
    [200, '<html>Sign in</html>', 'not_a_calendar'],
    [404, '', 'not_found'],
    [200, file(`DTSTART:${day}T150000Z`, 'DURATION:PT1M', 'RRULE:FREQ=MINUTELY'), 'too_many_events'],
    [200, 'x'.repeat(2_000_001), 'too_large'],
  ] as const) {
    answer = { status, body }
    await readAll()
    expect(await state()).toMatchObject({ error, busy_times: 3 })
  }
})

it('the function is for the secret key alone', async () => {
  const call = (key: string) =>
    fetch(`${server.url}/functions/v1/read-calendars`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: '{}',
    })
  expect((await call(server.publishableKey)).status).toBe(401)
  expect((await call(server.secretKey)).status).toBe(200)
})

it.each([
  'https://127.0.0.1/a.ics',
  'https://[::1]/a.ics',
  'https://localhost/a.ics',
  'https://169.254.169.254/latest',
])('the server itself does not ask %s', async (inside) => {
  const theo = await signedIn(server, 'theo')
  const me = (await theo.auth.getUser()).data.user?.id
  await theo.from('imported_calendars').delete().eq('user_id', me)
  await theo.from('imported_calendars').insert({ user_id: me, address: inside, name: '' }).throwOnError()
  const error = async () => (await theo.from('imported_calendars').select('error').single()).data?.error
  await expect.poll(error, soon).toBe('not_public')
})

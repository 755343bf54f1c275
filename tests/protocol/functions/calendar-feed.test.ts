// The calendar of bookings through the real server, as a calendar program asks for it, read by a library that did not write it.
import ical, { type VEvent } from 'node-ical'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signedIn } from '../../support/people.ts'
import { startTestServer, type TestServer } from '../../support/server.ts'
import { acceptedJob, cancel } from './paid-job.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

const get = (token: string, init: RequestInit = {}) =>
  fetch(`${server.url}/functions/v1/calendar-feed?token=${token}`, init)
const tokenOf = async (person: 'grace' | 'theo') =>
  (await (await signedIn(server, person)).rpc('create_calendar_address').throwOnError()).data as string
const events = async (token: string) =>
  Object.values(ical.sync.parseICS(await (await get(token)).text())).filter(
    (part): part is VEvent => part?.type === 'VEVENT',
  )

it('an accepted booking is in the calendars of both, and says so once it is cancelled', async () => {
  const tokens = [await tokenOf('theo'), await tokenOf('grace')]
  const job = await acceptedJob(server, { hours: 72 })
  for (const token of tokens) {
    const [event] = await events(token)
    expect(event).toMatchObject({
      uid: `${job.bookingId}@meadowlark`,
      status: 'CONFIRMED',
      location: 'Saskatoon',
    })
    expect(event?.summary).toContain('Clear the driveway')
    const { data } = await job.grace.from('tasks').select('scheduled_date').eq('id', job.taskId).single()
    expect(event?.start.getTime()).toBe(Math.floor(Date.parse(data?.scheduled_date) / 1000) * 1000)
  }
  const [before] = await events(tokens[0] as string)
  await cancel(job.theo, job.bookingId)
  for (const token of tokens) {
    const [event] = await events(token)
    expect(event).toMatchObject({ uid: `${job.bookingId}@meadowlark`, status: 'CANCELLED' })
    expect(Number(event?.sequence)).toBeGreaterThanOrEqual(Number(before?.sequence))
  }
})

it('a program that has the calendar already gets 304, until something changes', async () => {
  const token = await tokenOf('theo')
  const whole = await get(token)
  expect(whole.status).toBe(200)
  expect(whole.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
  expect(whole.headers.get('cache-control')).toBe('private, no-cache')
  const etag = whole.headers.get('etag') ?? ''
  const again = await get(token, { headers: { 'if-none-match': `W/${etag}, "x"` } })
  expect([again.status, await again.text()]).toEqual([304, ''])
  const head = await get(token, { method: 'HEAD' })
  expect([head.status, head.headers.get('etag'), await head.text()]).toEqual([200, etag, ''])
  await acceptedJob(server, { hours: 120 })
  expect((await get(token, { headers: { 'if-none-match': etag } })).status).toBe(200)
})

it('a wrong, replaced or missing token is 404 in plain text, and no other method reads it', async () => {
  const old = await tokenOf('theo')
  await tokenOf('theo')
  for (const token of [old, '', 'x', `${old}%00`, '0'.repeat(64), `${old}${old}`]) {
    const answer = await get(token)
    expect([token, answer.status]).toEqual([token, 404])
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(await answer.text()).toBe('This calendar address does not exist any more')
  }
  expect((await fetch(`${server.url}/functions/v1/calendar-feed`)).status).toBe(404)
  expect((await get(old, { method: 'POST' })).status).toBe(405)
})

// A session is renewed when it expires by the server's clock, however wrong this device's clock is.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { noteServerTime } from './serverClock.ts'
import { connect, separateClient, supabase } from './supabase.ts'

const HOUR_MS = 3600_000
const here = { supabaseUrl: 'http://localhost:3000', supabaseKey: 'sb_publishable_x' }
const undo: (() => unknown)[] = []
/** A browser global missing in Node, until the test is over. */
function pretend(name: string, value: unknown) {
  const before = Object.getOwnPropertyDescriptor(globalThis, name)
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
  undo.push(() =>
    before ? Object.defineProperty(globalThis, name, before) : Reflect.deleteProperty(globalThis, name),
  )
}

let renewals = 0
/** The server's time, independent of the device's clock. */
const serverNow = () => Date.UTC(2026, 10, 26) + performance.now()
const respond = (body: object) =>
  new Response(JSON.stringify(body), {
    headers: { 'content-type': 'application/json', date: new Date(serverNow()).toUTCString() },
  })
function newSession() {
  const iat = Math.floor(serverNow() / 1000)
  const access_token = ['{}', JSON.stringify({ iat, exp: iat + 3600 }), 'x']
    .map((part) => btoa(part).replace(/=+$/, ''))
    .join('.')
  const times = { expires_in: 3600, expires_at: iat + 3600 }
  return {
    access_token,
    refresh_token: `r${renewals}`,
    token_type: 'bearer',
    ...times,
    user: { id: 'grace' },
  }
}

beforeEach(() => {
  renewals = 0
  vi.useFakeTimers()
  const stored = new Map<string, string>()
  pretend('WebSocket', class {})
  pretend('localStorage', {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  })
  pretend('fetch', (url: string | URL) => {
    if (String(url).includes('grant_type=refresh_token')) renewals++
    return Promise.resolve(respond(newSession()))
  })
})
afterEach(() => {
  for (const restore of undo.splice(0).reverse()) restore()
  vi.useRealTimers()
})

/** A page that is opened: the configuration is read first, then the stored session. */
async function openPage() {
  noteServerTime(respond({}))
  connect(here)
  await supabase.auth.initialize()
  const { data } = await supabase.auth.getSession()
  await supabase.auth.stopAutoRefresh()
  return data.session
}
const signIn = () => supabase.auth.signInWithPassword({ email: 'grace@example.com', password: 'Meadowlark1' })

test.each([
  ['five hours ahead', 5],
  ['right', 0],
  ['five hours behind', -5],
])('on a device whose clock is %s: once an hour, not on every page', async (_, hours) => {
  vi.setSystemTime(serverNow() + hours * HOUR_MS)
  await openPage()
  await signIn()
  for (let page = 0; page < 8; page++) expect(await openPage()).not.toBeNull()
  expect(renewals).toBe(0)
  vi.advanceTimersByTime(HOUR_MS - 60_000)
  for (let page = 0; page < 8; page++) expect(await openPage()).not.toBeNull()
  expect(renewals).toBe(1)
})

test.each([5, -5])('while the clock is set by %i hours: at most once', async (hours) => {
  vi.setSystemTime(serverNow())
  await openPage()
  await signIn()
  vi.setSystemTime(Date.now() + hours * HOUR_MS)
  for (let time = 0; time < 4; time++) await supabase.auth.getSession()
  expect(renewals).toBeLessThanOrEqual(1)
  const before = renewals
  vi.advanceTimersByTime(HOUR_MS)
  await supabase.auth.getSession()
  expect(renewals).toBe(before + 1)
})

test('a device that wakes up renews at once, although its monotonic clock had stopped', async () => {
  vi.setSystemTime(serverNow())
  await openPage()
  await signIn()
  vi.setSystemTime(Date.now() + 2 * HOUR_MS)
  await supabase.auth.getSession()
  expect(renewals).toBe(1)
})

test('a client with a separate session does not renew at every request', async () => {
  vi.setSystemTime(serverNow() + 5 * HOUR_MS)
  await openPage()
  const other = separateClient()
  await other.auth.signInWithPassword({ email: 'grace@example.com', password: 'Meadowlark1' })
  for (let time = 0; time < 4; time++) await other.auth.getSession()
  expect(renewals).toBe(0)
})

test.each<Record<string, string>>([{ age: '32400' }, {}])(
  'an answer out of a cache says nothing of the time: %j',
  async (more) => {
    vi.setSystemTime(serverNow())
    await openPage()
    await signIn()
    const old = { date: new Date(serverNow() - 9 * HOUR_MS).toUTCString(), ...more }
    noteServerTime(new Response(null, { headers: old }))
    vi.advanceTimersByTime(HOUR_MS)
    await supabase.auth.getSession()
    expect(renewals).toBe(1)
  },
)

// The client library's work for the app's session, and its requests (specification 000 §8 and §9).
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connect, supabase } from './supabase.ts'

/** Sets browser globals that Node lacks until the test ends. */
function pretend(globals: Record<string, unknown>) {
  for (const [name, value] of Object.entries(globals)) {
    const before = Object.getOwnPropertyDescriptor(globalThis, name)
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true })
    undo.push(() =>
      before ? Object.defineProperty(globalThis, name, before) : Reflect.deleteProperty(globalThis, name),
    )
  }
}
const undo: (() => unknown)[] = []

// None is opened here.
beforeEach(() => pretend({ WebSocket: class {} }))
afterEach(() => {
  for (const restore of undo.splice(0).reverse()) restore()
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** As the parts of a token are written. */
const base64 = (part: string) => btoa(part).replace(/=+$/, '')

const here = { supabaseUrl: 'http://localhost:3000', supabaseKey: 'sb_publishable_x' }

test('no key is an error that says so', () => {
  expect(() => connect({ ...here, supabaseKey: '' })).toThrow('supabaseKey is required.')
})

test('calls that need a session are refused where there is none', async () => {
  pretend({ fetch: () => Promise.reject(new Error('nobody is asked')) })
  connect(here)
  const { data, error } = await supabase.auth.updateUser({ data: { language: 'fr' } })
  expect([data.user, error?.name, error?.message]).toEqual([
    null,
    'AuthSessionMissingError',
    'Auth session missing!',
  ])
})

test.each([
  [401, undefined],
  [403, undefined],
  [404, undefined],
  [500, 'AuthRetryableFetchError'],
])('a sign-out that is answered with %i ends in the error %s', async (status, error) => {
  const expiry = Math.floor(Date.now() / 1000) + 3600
  const token = ['{}', JSON.stringify({ exp: expiry }), 'x'].map(base64).join('.')
  pretend({
    fetch: (address: string) =>
      Promise.resolve(
        address.includes('/logout')
          ? Response.json({ msg: 'Gone' }, { status })
          : Response.json({ id: 'grace', email: 'grace@example.com' }),
      ),
  })
  connect(here)
  await supabase.auth.setSession({ access_token: token, refresh_token: 'r' })
  expect((await supabase.auth.signOut()).error?.name).toBe(error)
})

test('a session is renewed again after 200 ms, 400 ms and so on while nobody answers, and ends once it is refused', async () => {
  vi.useFakeTimers()
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const at: number[] = []
  const answer = () => {
    at.push(Date.now())
    if (at.length < 4) return Promise.reject(new TypeError('fetch failed'))
    return Promise.resolve(
      Response.json({ error_code: 'refresh_token_not_found', msg: 'Gone' }, { status: 400 }),
    )
  }
  pretend({ fetch: answer })
  connect(here)
  const events: string[] = []
  supabase.auth.onAuthStateChange((event) => events.push(`${event} after ${at.length}`))
  const renewed = supabase.auth.refreshSession({ refresh_token: 'a-refresh-token' })
  await vi.advanceTimersByTimeAsync(5000)
  expect((await renewed).error).toMatchObject({ code: 'refresh_token_not_found' })
  expect(events.filter((event) => event.startsWith('SIGNED_OUT'))).toEqual(['SIGNED_OUT after 4'])
  expect(at.slice(1).map((time, nth) => time - (at[nth] ?? 0))).toEqual([200, 400, 800])
})

test('a session is renewed by itself shortly before it ends', async () => {
  vi.useFakeTimers()
  const token = (seconds: number) =>
    ['{}', JSON.stringify({ exp: Math.floor(Date.now() / 1000) + seconds }), 'x'].map(base64).join('.')
  const user = { id: 'grace', email: 'grace@example.com' }
  let renewals = 0
  pretend({
    fetch: (address: string) => {
      if (!address.includes('grant_type=refresh_token')) return Promise.resolve(Response.json(user))
      renewals++
      const session = { access_token: token(3600), refresh_token: 'next', expires_in: 3600, user }
      return Promise.resolve(Response.json({ ...session, token_type: 'bearer' }))
    },
  })
  connect(here)
  await supabase.auth.initialize()
  await supabase.auth.setSession({ access_token: token(300), refresh_token: 'first' })
  await vi.advanceTimersByTimeAsync(150_000)
  expect(renewals).toBe(0)
  await vi.advanceTimersByTimeAsync(120_000)
  expect(renewals).toBe(1)
  expect((await supabase.auth.getSession()).data.session?.refresh_token).toBe('next')
  await supabase.auth.stopAutoRefresh()
})

test('a session from a link that is over two minutes old is warned of', async () => {
  const seconds = Math.floor(Date.now() / 1000)
  const token = ['{}', JSON.stringify({ exp: seconds + 3400 }), 'x'].map(base64).join('.')
  const hash = new URLSearchParams({
    access_token: token,
    refresh_token: 'r',
    token_type: 'bearer',
    expires_in: '3600',
    expires_at: String(seconds + 3400),
  })
  const location = { href: `http://localhost:3000/#${hash}`, hash: '' }
  const listeners = { addEventListener: () => {}, removeEventListener: () => {} }
  pretend({ window: { location, history: { state: null, replaceState: () => {} }, ...listeners } })
  pretend({ document: { visibilityState: 'visible', ...listeners } })
  pretend({ fetch: () => Promise.resolve(Response.json({ id: 'grace', email: 'grace@example.com' })) })
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {})
  connect(here)
  await supabase.auth.initialize()
  await supabase.auth.stopAutoRefresh()
  expect(warn.mock.calls.flat().join(' ')).toContain('was issued over 120s ago')
})

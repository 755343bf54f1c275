// A function's refusal: its own words, and the catalogue's where its answer has none.
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startI18n } from '../i18n/index.ts'
import { errorText } from './errorText.ts'
import { invokeFunction } from './functions.ts'
import { connect } from './supabase.ts'

beforeAll(() => startI18n('en'))
const GLOBALS = ['WebSocket', 'navigator'] as const
const originals = GLOBALS.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const)
afterEach(() => {
  vi.restoreAllMocks()
  for (const [name, original] of originals) {
    if (original) Object.defineProperty(globalThis, name, original)
    else Reflect.deleteProperty(globalThis, name)
  }
})

/** The sentence shown when the function `pay` answers so. */
async function shown(response: Response, fallback?: string): Promise<string> {
  // Supabase's client wants a WebSocket class, but opens no connection here.
  Object.defineProperty(globalThis, 'WebSocket', { value: class {}, configurable: true })
  Object.defineProperty(globalThis, 'navigator', { value: { onLine: true }, configurable: true })
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(response)
  connect({ supabaseUrl: 'http://api.invalid', supabaseKey: 'sb_publishable_x' })
  const failure = await invokeFunction('pay').then(
    () => null,
    (error: unknown) => error,
  )
  return errorText(failure, fallback)
}

test('its own words are shown', async () => {
  const response = Response.json({ error: 'The card was declined' }, { status: 400 })
  expect(await shown(response)).toBe('The card was declined')
})

test.each([500, 502, 546])(
  'an answer of status %i without a body never shows words for programmers',
  async (status) => {
    expect(await shown(new Response(null, { status }))).toMatch(/^Meadowlark could not be reached\./)
    expect(await shown(new Response(null, { status }), 'Nothing was paid.')).toBe('Nothing was paid.')
  },
)

test.each([401, 403])(
  'an answer of status %i without a body says that the account may not',
  async (status) => {
    expect(await shown(new Response(null, { status }))).toBe('Your account is not allowed to do this.')
  },
)

test('neither does a failure in front of the function', async () => {
  const headers = { 'x-relay-error': 'true' }
  expect(await shown(new Response('Bad gateway', { status: 502, headers }))).toMatch(/^Meadowlark could not/)
})

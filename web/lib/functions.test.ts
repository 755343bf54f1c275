// A function's refusal: its own words, and the catalogue's where its answer has none.
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startI18n } from '../i18n/index.ts'
import { errorText } from './errorText.ts'
import { invokeFunction } from './functions.ts'
import { connect } from './supabase.ts'

beforeAll(() => startI18n('en'))
afterEach(() => vi.unstubAllGlobals())

/** The sentence shown when the function `pay` answers so. */
async function shown(response: Response, fallback?: string): Promise<string> {
  // Node has none, and none is opened here.
  vi.stubGlobal('WebSocket', class {})
  vi.stubGlobal('navigator', { onLine: true })
  vi.stubGlobal('fetch', async () => response)
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

test('neither does a failure of what stands before the function', async () => {
  const headers = { 'x-relay-error': 'true' }
  expect(await shown(new Response('Bad gateway', { status: 502, headers }))).toMatch(/^Meadowlark could not/)
})

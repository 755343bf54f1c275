// Ids of requests: sent to this origin alone, and shown for a while after the server failed.
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { startI18n } from '../i18n/index.ts'
import { noteFailure, referenceText, withRequestId } from './requestId.ts'

beforeAll(() => startI18n('en'))
afterEach(() => {
  Reflect.deleteProperty(globalThis, 'location')
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** Browser globals missing in Node. */
const openedAt = (origin: string) =>
  Object.defineProperty(globalThis, 'location', { value: { origin }, configurable: true })

const sent = (url: string, init?: RequestInit) => new Headers(withRequestId(url, init).headers)
const answer = (status: number, id?: string) => ({
  status,
  headers: new Headers(id ? { 'sb-request-id': id } : {}),
})

test('each request to this origin has its own id and its other headers', () => {
  openedAt('https://meadowlark.example')
  const url = 'https://meadowlark.example/rest/v1/tasks'
  const headers = sent(url, { headers: { apikey: 'k' } })
  expect(headers.get('apikey')).toBe('k')
  expect(headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  expect(sent(url).get('x-request-id')).not.toBe(sent(url).get('x-request-id'))
})

test('another origin is sent none, nor is anything where the browser makes no ids', () => {
  openedAt('https://meadowlark.example')
  expect(sent('https://meadowlark.example.org/rest/v1/tasks').has('x-request-id')).toBe(false)
  expect(sent('https://ref.supabase.co/rest/v1/tasks').has('x-request-id')).toBe(false)
  vi.spyOn(globalThis, 'crypto', 'get').mockReturnValue({} as Crypto)
  expect(sent('https://meadowlark.example/rest/v1/tasks').has('x-request-id')).toBe(false)
})

test('the newest failure of the server is named for ten seconds, a refusal never', () => {
  vi.useFakeTimers()
  noteFailure(answer(403, 'refused'))
  noteFailure(answer(500))
  expect(referenceText()).toBeUndefined()
  noteFailure(answer(503, 'failed'))
  noteFailure(answer(404, 'not-there'))
  expect(referenceText()).toBe('Reference: failed')
  vi.advanceTimersByTime(10_001)
  expect(referenceText()).toBeUndefined()
})

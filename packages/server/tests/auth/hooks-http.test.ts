// Hooks over HTTP: what is sent, how it is signed, and what becomes of every kind of answer.

import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, test } from 'vitest'
import { askOverHttp } from '../../src/auth/hooks/http-hook.ts'
import { freePort } from '../support/free-port.ts'
import { type Listener, listen, type Received, type Reply } from '../support/listener.ts'

const [first, second] = ['whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=', `whsec_${'A'.repeat(44)}`]
const timing = { timeoutMs: 5000, pauseMs: 1 }

let hook: Listener | undefined
afterEach(() => hook?.close())

/** The hook's answers, one or several in turn. */
async function ask(replies: Reply[], { timeoutMs = 5000, secrets = [`v1,${first}`] } = {}) {
  hook = await listen((_request, count) => replies[Math.min(count, replies.length) - 1] as Reply)
  return askOverHttp({ uri: hook.url, secrets }, '{"user_id":"1"}', { ...timing, timeoutMs })
}

test('is sent JSON, which each of its secrets can verify', async () => {
  expect(await ask([{ body: '{"decision":"continue"}' }], { secrets: [`v1,${first}`, `v1,${second}`] })).toBe(
    '{"decision":"continue"}',
  )
  const [{ method, headers, body }] = (hook as Listener).received as [Received]
  expect([method, headers['content-type'], body]).toEqual(['POST', 'application/json', '{"user_id":"1"}'])
  for (const secret of [first, second]) {
    const sent = headers as Record<string, string>
    expect(new Webhook(secret as string).verify(body, sent)).toEqual({ user_id: '1' })
    expect(() => new Webhook(secret as string).verify(`${body} `, sent)).toThrow()
  }
})

test('may answer without content, and after it asked to come back', async () => {
  const empty = { status: 204, headers: { 'content-type': '' }, body: '' }
  expect(await ask([empty])).toBeNull()
  await hook?.close()
  const busy = { status: 429, headers: { 'retry-after': '1' } }
  expect(await ask([busy, { ...busy, status: 503 }, { status: 202, body: '{"claims":{}}' }])).toBe(
    '{"claims":{}}',
  )
  expect(hook?.received).toHaveLength(3)
  // Each try has a new id.
  expect(new Set(hook?.received.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
})

const words = (status: number) => `Unexpected status code returned from hook: ${status}`

describe('is refused as GoTrue does for', () => {
  test.each<[string, Reply[], { status: number; code: string; message: string }]>([
    [
      'a redirect',
      [{ status: 302, headers: { location: 'http://example.com' } }],
      { status: 500, code: 'unexpected_failure', message: words(302) },
    ],
    ['a failure', [{ status: 500 }], { status: 500, code: 'unexpected_failure', message: words(500) }],
    [
      'a request it does not understand',
      [{ status: 400 }],
      { status: 500, code: 'unexpected_failure', message: 'Invalid payload sent to hook' },
    ],
    [
      'one it does not trust',
      [{ status: 401 }],
      { status: 500, code: 'unexpected_failure', message: 'Hook requires authorization token' },
    ],
    [
      'being busy without saying for how long',
      [{ status: 503 }],
      { status: 500, code: 'unexpected_failure', message: 'Service currently unavailable due to hook' },
    ],
    [
      'being busy each time',
      [{ status: 429, headers: { 'retry-after': '1' } }],
      { status: 500, code: 'unexpected_failure', message: 'Service currently unavailable due to hook' },
    ],
    [
      'an answer that is no JSON',
      [{ headers: { 'content-type': 'text/html' }, body: '<html>' }],
      {
        status: 400,
        code: 'hook_payload_invalid_content_type',
        message: 'Invalid JSON response. Received content-type: text/html',
      },
    ],
    [
      'an answer without a type',
      [{ headers: { 'content-type': '' } }],
      {
        status: 400,
        code: 'hook_payload_invalid_content_type',
        message: 'Invalid Content-Type: Missing Content-Type header',
      },
    ],
    [
      'an answer of more than 200 KiB',
      [{ body: JSON.stringify('x'.repeat(200 * 1024)) }],
      {
        status: 422,
        code: 'hook_payload_over_size_limit',
        message: 'Payload size exceeded size limit of 204800 bytes',
      },
    ],
  ])('%s', async (_what, replies, refusal) => {
    await expect(ask(replies)).rejects.toMatchObject(refusal)
  })

  test('an answer that does not come in time', async () => {
    await expect(ask(['never'], { timeoutMs: 50 })).rejects.toMatchObject({
      status: 422,
      code: 'hook_timeout',
      message: 'Failed to reach hook within maximum time of 0.050000 seconds',
    })
  })

  test('an address where nobody listens', async () => {
    const uri = `http://127.0.0.1:${await freePort()}`
    await expect(askOverHttp({ uri, secrets: [] }, '{}', timing)).rejects.toMatchObject({
      status: 422,
      code: 'hook_timeout_after_retry',
      message: 'Failed to reach hook after maximum retries',
    })
  })
})

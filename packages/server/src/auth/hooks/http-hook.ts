// Hooks over HTTP: a POST of JSON, signed as Standard Webhooks say (https://www.standardwebhooks.com), with GoTrue's bounds of
// time, tries and size, and its errors.
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Webhook } from 'standardwebhooks'
import { AuthError, badRequest, unexpected, unprocessable } from '../errors.ts'

/** For all tries together. */
const TIMEOUT_MS = 5000
const TRIES = 3
const PAUSE_MS = 2000
const MAX_ANSWER_BYTES = 200 * 1024

export type HttpHook = { uri: string; secrets: string[] }

/** Milliseconds; other ones are for tests. */
export type Timing = { timeoutMs: number; pauseMs: number }

/**
 * Posts `payload` (JSON) to the hook and returns its answer; null for an empty one. Throws hook_timeout,
 * hook_timeout_after_retry, hook_payload_over_size_limit, hook_payload_invalid_content_type, or unexpected_failure
 * with the message for its status.
 */
export async function askOverHttp(
  hook: HttpHook,
  payload: string,
  { timeoutMs, pauseMs }: Timing = { timeoutMs: TIMEOUT_MS, pauseMs: PAUSE_MS },
): Promise<string | null> {
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    for (let left = TRIES; left > 0; left--) {
      const response = await post(hook, payload, signal)
      if (!response) {
        if (left > 1) await pause(pauseMs, undefined, { signal })
        continue
      }
      if (isAccepted(response)) return await read(response)
      await response.body?.cancel()
      if (!asksToComeBack(response)) throw unexpected(wordsFor(response.status))
      if (left === 1) throw unexpected(wordsFor(503))
    }
  } catch (error) {
    if (!signal.aborted || error instanceof AuthError) throw error
    const seconds = (timeoutMs / 1000).toFixed(6)
    throw unprocessable('hook_timeout', `Failed to reach hook within maximum time of ${seconds} seconds`)
  }
  throw unprocessable('hook_timeout_after_retry', 'Failed to reach hook after maximum retries')
}

/** The answer, or null where no connection came about. Each try has a new id and time. */
async function post({ uri, secrets }: HttpHook, body: string, signal: AbortSignal): Promise<Response | null> {
  const [id, now] = [randomUUID(), new Date()]
  const signatures = secrets.map((secret) => new Webhook(secret.replace(/^v1,/, '')).sign(id, now, body))
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': signatures.join(', '),
    'accept-encoding': 'identity',
  }
  try {
    // A redirect could lead to where nobody may read what the payload holds.
    return await fetch(uri, { method: 'POST', headers, body, signal, redirect: 'manual' })
  } catch (error) {
    if (signal.aborted) throw error
    return null
  }
}

const isAccepted = ({ status }: Response): boolean => [200, 202, 204].includes(status)

const asksToComeBack = ({ status, headers }: Response): boolean =>
  (status === 429 || status === 503) && headers.has('retry-after')

function wordsFor(status: number): string {
  if (status === 429 || status === 503) return 'Service currently unavailable due to hook'
  if (status === 400) return 'Invalid payload sent to hook'
  if (status === 401) return 'Hook requires authorization token'
  return `Unexpected status code returned from hook: ${status}`
}

async function read(response: Response): Promise<string | null> {
  const type = response.headers.get('content-type')
  const refuseType = (reason: string) => badRequest('hook_payload_invalid_content_type', reason)
  if (!type) {
    await response.body?.cancel()
    if (response.status === 204) return null
    throw refuseType('Invalid Content-Type: Missing Content-Type header')
  }
  if (type.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    await response.body?.cancel()
    throw refuseType(`Invalid JSON response. Received content-type: ${type}`)
  }
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > MAX_ANSWER_BYTES) {
      throw unprocessable(
        'hook_payload_over_size_limit',
        `Payload size exceeded size limit of ${MAX_ANSWER_BYTES} bytes`,
      )
    }
    parts.push(part)
  }
  return size > 0 ? Buffer.concat(parts).toString('utf8') : null
}

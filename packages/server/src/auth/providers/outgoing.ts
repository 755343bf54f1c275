// Requests to providers: how long they may take, and how much of an answer is read.
import type { CustomFetch } from 'openid-client'

export const TIMEOUT_SECONDS = 10
/** Answers are documents of a few kilobytes. */
const MAX_ANSWER_BYTES = 1024 * 1024
const WITHOUT_BODY = [101, 204, 205, 304]

/** `fetch` that follows no redirect, gives up after TIMEOUT_SECONDS and throws for answers over MAX_ANSWER_BYTES. */
export const boundedFetch: CustomFetch = async (url, { signal, ...options }) => {
  const timeout = AbortSignal.timeout(TIMEOUT_SECONDS * 1000)
  const response = await fetch(url, {
    ...(options as RequestInit),
    redirect: 'manual',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  })
  const { status, statusText, headers } = response
  const body = await readBounded(response)
  return new Response(WITHOUT_BODY.includes(status) ? null : body, { status, statusText, headers })
}

async function readBounded(response: Response): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = []
  let size = 0
  // Left by a throw, the loop cancels the rest.
  for await (const part of response.body ?? []) {
    size += part.length
    if (size > MAX_ANSWER_BYTES) throw new Error(`the answer is longer than ${MAX_ANSWER_BYTES} bytes`)
    parts.push(part)
  }
  return new Uint8Array(Buffer.concat(parts))
}

/** The JSON that a provider's own API answers to the holder of an access token. Throws for anything but success. */
export async function getJson(
  url: string | URL,
  accessToken: string,
  ask: CustomFetch = boundedFetch,
): Promise<unknown> {
  const response = await ask(String(url), {
    method: 'GET',
    headers: { accept: 'application/json', authorization: `Bearer ${accessToken}` },
    body: null,
    redirect: 'manual',
  })
  if (!response.ok) throw new Error(`${new URL(url).origin} answered ${response.status}`)
  return response.json()
}

// The request by which a text message is handed to a carrier's API: a form, answered in JSON.
import type { QueuedText } from './text.ts'

const REQUEST_TIMEOUT_MS = 15_000
const MAX_REASON_LENGTH = 300

export type CarrierRequest = {
  /** The carrier's name, for errors. */
  carrier: string
  url: string
  headers?: Record<string, string>
  fields: Record<string, string>
}

/** The carrier's answer. Throws an error with its words for answers of 400 and above, and for invalid JSON. */
export async function postForm(
  { carrier, url, headers, fields }: CarrierRequest,
  text: Pick<QueuedText, 'to'>,
): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(fields),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  })
  const body = await response.text()
  if (!response.ok) throw carrierError(carrier, text, `answered ${response.status}: ${body}`)
  try {
    return JSON.parse(body)
  } catch {
    throw carrierError(carrier, text, `answered no JSON: ${body}`)
  }
}

/** Without the number, which an answer may repeat: it must not be logged. */
export const carrierError = (carrier: string, { to }: Pick<QueuedText, 'to'>, reason: string): Error =>
  new Error(`${carrier} ${reason.replaceAll(to, '[recipient]').slice(0, MAX_REASON_LENGTH)}`)

// Sends text messages through Vonage's SMS API (https://developer.vonage.com/en/api/sms).
import { carrierError, postForm } from './request.ts'
import type { QueuedText } from './text.ts'

/** `from` is the sender that the recipient sees. */
export type VonageAccount = { from: string; api_key: string; api_secret: string }

/** Sends one message. Throws with Vonage's words: its errors come with status 200. */
export async function vonageDeliver(
  { from, api_key, api_secret }: VonageAccount,
  text: QueuedText,
  api = 'https://rest.nexmo.com',
): Promise<void> {
  const fields = { from, to: text.to, text: text.body, type: 'unicode', api_key, api_secret }
  const answer = (await postForm({ carrier: 'Vonage', url: `${api}/sms/json`, fields }, text)) as {
    messages?: { status: string; 'error-text'?: string }[]
  } | null
  const messages = answer?.messages ?? []
  const failed = messages.find(({ status }) => status !== '0')
  if (messages.length > 0 && !failed) return
  throw carrierError(
    'Vonage',
    text,
    `refused the message: ${failed?.['error-text'] ?? ''} (${failed?.status})`,
  )
}

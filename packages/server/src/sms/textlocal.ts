// Sends text messages through Textlocal's API (https://api.textlocal.in/docs/sendsms).
import { carrierError, postForm } from './request.ts'
import type { QueuedText } from './text.ts'

/** `sender` is the name that the recipient sees. */
export type TextlocalAccount = { sender: string; api_key: string }

/** Sends one message. Throws with Textlocal's words: its errors come with status 200. */
export async function textlocalDeliver(
  { sender, api_key }: TextlocalAccount,
  text: QueuedText,
  api = 'https://api.textlocal.in',
): Promise<void> {
  const fields = { sender, apikey: api_key, message: text.body, numbers: text.to }
  const request = { carrier: 'Textlocal', url: `${api}/send`, fields }
  const answer = (await postForm(request, text)) as {
    status?: string
    errors?: { code: number; message: string }[]
  } | null
  if (answer?.status === 'success') return
  const [error] = answer?.errors ?? []
  throw carrierError(
    'Textlocal',
    text,
    `refused the message: ${error ? `${error.message} (${error.code})` : ''}`,
  )
}

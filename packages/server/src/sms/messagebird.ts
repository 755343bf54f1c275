// Sends text messages through MessageBird's SMS API (https://developers.messagebird.com/api/sms-messaging).
import { carrierError, postForm } from './request.ts'
import type { QueuedText } from './text.ts'

/** `originator` is the sender that the recipient sees: a number, or up to eleven characters. */
export type MessageBirdAccount = { originator: string; access_key: string }

/** Sends one message. Throws with MessageBird's words when it takes none. */
export async function messagebirdDeliver(
  { originator, access_key }: MessageBirdAccount,
  text: QueuedText,
  api = 'https://rest.messagebird.com',
): Promise<void> {
  const answer = (await postForm(
    {
      carrier: 'MessageBird',
      url: `${api}/messages`,
      headers: { authorization: `AccessKey ${access_key}` },
      fields: { originator, recipients: text.to, body: text.body, type: 'sms', datacoding: 'unicode' },
    },
    text,
  )) as { recipients?: { totalSentCount?: number } } | null
  if (!answer?.recipients?.totalSentCount)
    throw carrierError('MessageBird', text, 'sent the message to nobody')
}

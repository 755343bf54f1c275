// Sends text messages through Twilio's REST API, version 2010-04-01
// (https://www.twilio.com/docs/messaging/api/message-resource).
import { postForm } from './request.ts'
import type { QueuedText } from './text.ts'

/** `message_service_sid` is a messaging service (MG…) or a sender's number. */
export type TwilioAccount = { account_sid: string; message_service_sid: string; auth_token: string }

/** Sends one message. Throws with Twilio's message for answers of 400 and above. */
export async function twilioDeliver(
  { account_sid, message_service_sid, auth_token }: TwilioAccount,
  text: QueuedText,
  api = 'https://api.twilio.com',
): Promise<void> {
  // https://www.twilio.com/docs/whatsapp/api: numbers of either side carry the channel's name.
  const on = (number: string) => (text.channel === 'whatsapp' ? `whatsapp:${number}` : number)
  const sender: Record<string, string> = message_service_sid.startsWith('MG')
    ? { MessagingServiceSid: message_service_sid }
    : { From: on(message_service_sid) }
  const credentials = Buffer.from(`${account_sid}:${auth_token}`).toString('base64')
  await postForm(
    {
      carrier: 'Twilio',
      url: `${api}/2010-04-01/Accounts/${account_sid}/Messages.json`,
      headers: { authorization: `Basic ${credentials}` },
      fields: { To: on(`+${text.to}`), Body: text.body, ...sender },
    },
    text,
  )
}

// Codes that Twilio makes, texts and checks itself, by its Verify API, version 2
// (https://www.twilio.com/docs/verify/api/verification): no code of ours is in the message.
import { postForm } from './request.ts'
import type { QueuedText } from './text.ts'

/** `message_service_sid` is a Verify service (VA…). */
export type VerifyAccount = { account_sid: string; message_service_sid: string; auth_token: string }

const API = 'https://verify.twilio.com'

/** Has a code sent. Throws with Twilio's message for answers of 400 and above. */
export async function twilioVerifyDeliver(
  account: VerifyAccount,
  text: QueuedText,
  api = API,
): Promise<void> {
  await post(account, 'Verifications', { To: `+${text.to}`, Channel: text.channel ?? 'sms' }, text.to, api)
}

/**
 * Whether this is the code that the number was sent. Throws with Twilio's message where it cannot tell; it answers 404 for a
 * number that awaits no code any more: it was used, is too old, or was guessed at too often.
 */
export async function twilioVerifyCheck(
  account: VerifyAccount,
  { to, code }: { to: string; code: string },
  api = API,
): Promise<boolean> {
  const form = { To: `+${to}`, Code: code }
  const answer = (await post(account, 'VerificationCheck', form, to, api)) as Record<string, unknown>
  return answer.status === 'approved' && answer.valid === true
}

const post = (
  { account_sid, message_service_sid, auth_token }: VerifyAccount,
  resource: string,
  fields: Record<string, string>,
  to: string,
  api: string,
): Promise<unknown> =>
  postForm(
    {
      carrier: 'Twilio Verify',
      url: `${api}/v2/Services/${message_service_sid}/${resource}`,
      headers: {
        authorization: `Basic ${Buffer.from(`${account_sid}:${auth_token}`).toString('base64')}`,
      },
      fields,
    },
    { to },
  )

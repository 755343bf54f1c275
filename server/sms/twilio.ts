// Sends text messages through Twilio's REST API, version 2010-04-01.
import type { QueuedText } from './text.ts'

export type TwilioSettings = {
  accountSid: string
  authToken: string
  /** A messaging service (MG…) or a sender number. */
  messageServiceSid: string
  /** The API's origin; Twilio's own by default. */
  apiUrl?: string
}

const REQUEST_TIMEOUT_MS = 15_000

/** Sends one message through Twilio. Throws with Twilio's message for answers of 400 and above. */
export async function twilioDeliver(settings: TwilioSettings, text: QueuedText): Promise<void> {
  const origin = settings.apiUrl ?? 'https://api.twilio.com'
  // https://www.twilio.com/docs/whatsapp/api: numbers of either side carry the channel's name.
  const on = (number: string) => (text.channel === 'whatsapp' ? `whatsapp:${number}` : number)
  const sender: Record<string, string> = settings.messageServiceSid.startsWith('MG')
    ? { MessagingServiceSid: settings.messageServiceSid }
    : { From: on(settings.messageServiceSid) }
  const response = await fetch(`${origin}/2010-04-01/Accounts/${settings.accountSid}/Messages.json`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${settings.accountSid}:${settings.authToken}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ To: on(`+${text.to}`), Body: text.body, ...sender }),
    signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
  })
  if (!response.ok) {
    // Without the number, which the answer repeats: it must not stand in the log.
    const message = (await response.text()).replaceAll(text.to, '[recipient]').slice(0, 300)
    throw new Error(`Twilio answered ${response.status}: ${message}`)
  }
}

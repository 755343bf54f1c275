// POST /resend: sends the message of a sign-up or of a change of address once more.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { checkAddress } from '../addresses.ts'
import { challenge, text } from '../body.ts'
import { invalid } from '../errors.ts'
import { readFlow } from '../flows/pkce.ts'
import { RESEND_TYPES, requestMessage } from '../flows/requested-messages.ts'
import { requireProvider } from '../flows/sign-up.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'

export const resendBody = z.object({ type: text, email: text, phone: text, ...challenge })

export async function resend(
  service: AuthService,
  { body, origin }: AuthRequest<z.output<typeof resendBody>>,
): Promise<Answer> {
  const { email, phone } = body
  const type = RESEND_TYPES.find((known) => known === body.type)
  if (!type) throw invalid('Missing one of these types: signup, email_change, sms, phone_change')
  if (type === 'signup' && email === '') throw invalid('Type provided requires an email address')
  if (type === 'sms' && phone === '') throw invalid('Type provided requires a phone number')
  if (email !== '' && phone !== '') {
    throw invalid('Only an email address or phone number should be provided.')
  }
  if (email !== '') requireProvider(service, 'email', 'Email logins are disabled')
  else if (phone === '') throw invalid('Missing email address or phone number')
  else requireProvider(service, 'phone', 'Phone logins are disabled')
  const address = checkAddress(body)
  const flow = address.kind === 'email' ? readFlow(body) : null
  return json(await requestMessage(service, { kind: 'resend', address, type, flow, origin }))
}

// POST /otp and /magiclink: mails a sign-in link or texts a code, and creates the account where there is none, unless
// `create_user` is false.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { checkAddress, checkChannel } from '../addresses.ts'
import { challenge, flag, object, text } from '../body.ts'
import { invalid } from '../errors.ts'
import { readFlow } from '../flows/pkce.ts'
import { requestMessage } from '../flows/requested-messages.ts'
import { requireProvider } from '../flows/sign-up.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'

export const otpBody = z.object({
  email: text,
  phone: text,
  create_user: flag(true),
  data: object,
  channel: text,
  ...challenge,
})

export async function sendOtp(
  service: AuthService,
  { body, origin }: AuthRequest<z.output<typeof otpBody>>,
): Promise<Answer> {
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided')
  }
  if (body.email !== '' && body.channel !== '') {
    throw invalid('Channel should only be specified with Phone OTP')
  }
  const flow = readFlow(body)
  if (body.email !== '') requireProvider(service, 'email', 'Email logins are disabled')
  else if (body.phone === '') throw invalid('One of email or phone must be set')
  else requireProvider(service, 'phone', 'Unsupported phone provider')
  const address = checkAddress(body)
  const channel = address.kind === 'phone' ? checkChannel(body.channel, service) : 'sms'
  const { create_user: createUser, data } = body
  return json(
    await requestMessage(service, { kind: 'otp', address, createUser, data, flow, channel, origin }),
  )
}

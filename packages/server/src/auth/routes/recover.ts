// POST /recover: mails a link for choosing a new password.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { checkAddress } from '../addresses.ts'
import { challenge, text } from '../body.ts'
import { invalid } from '../errors.ts'
import { readFlow } from '../flows/pkce.ts'
import { requestMessage } from '../flows/requested-messages.ts'
import { requireProvider } from '../flows/sign-up.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'

export const recoverBody = z.object({ email: text, ...challenge })

export async function recover(
  service: AuthService,
  { body, origin }: AuthRequest<z.output<typeof recoverBody>>,
): Promise<Answer> {
  requireProvider(service, 'email', 'Email logins are disabled')
  if (body.email === '') throw invalid('Password recovery requires an email')
  const address = checkAddress({ email: body.email, phone: '' })
  return json(await requestMessage(service, { kind: 'recovery', address, flow: readFlow(body), origin }))
}

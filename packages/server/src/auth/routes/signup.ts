// POST /signup: new accounts by e-mail or phone and password, and anonymous ones.
import { z } from 'zod'
import { type Answer, json } from '../../http/answer.ts'
import { checkAddress, checkChannel } from '../addresses.ts'
import { challenge, object, text } from '../body.ts'
import { invalid, unprocessable } from '../errors.ts'
import { checkPassword, hashPassword } from '../flows/passwords.ts'
import { readFlow } from '../flows/pkce.ts'
import { limitErrorOf } from '../flows/refused-messages.ts'
import {
  needsConfirmation,
  requireProvider,
  requireSignUpEnabled,
  type SignUp,
  signUpAddress,
  signUpAnonymously,
} from '../flows/sign-up.ts'
import type { RequestLimit } from '../limits/limiters.ts'
import { countMessageRequest } from '../limits/messages.ts'
import type { AuthRequest } from '../route.ts'
import type { AuthService } from '../service.ts'

export const signUpBody = z.object({
  email: text,
  phone: text,
  password: text,
  data: object,
  channel: text,
  ...challenge,
})

type Body = z.output<typeof signUpBody>

const isAnonymous = ({ email, phone }: Body): boolean => email === '' && phone === ''

/** Anonymous sign-ups have a separate limit; where they are turned off, none is counted. */
export function signUpLimit({ settings }: AuthService, body: Body): RequestLimit | null {
  if (!isAnonymous(body)) return 'signInSignUps'
  return settings.enable_anonymous_sign_ins ? 'anonymousUsers' : null
}

/** Signs up, or signs in anonymously when the body names no address. Answers a session, or a user yet to be confirmed. */
export async function signUp(service: AuthService, { body, origin }: AuthRequest<Body>): Promise<Answer> {
  if (isAnonymous(body)) {
    if (!service.settings.enable_anonymous_sign_ins) {
      throw unprocessable('anonymous_provider_disabled', 'Anonymous sign-ins are disabled')
    }
    return json(await signUpAnonymously(service, body.data ?? {}, origin))
  }
  requireSignUpEnabled(service)
  const account = await readSignUp(service, body)
  const { kind } = account.address
  const refused = needsConfirmation(service, kind)
    ? limitErrorOf(() => countMessageRequest(service, kind, origin))
    : null
  // Hashed before anything is looked up, so that the time taken does not reveal whether the account exists.
  const encryptedPassword = await hashPassword(body.password)
  const { password } = body
  return json(await signUpAddress(service, { ...account, password, encryptedPassword, refused }, origin))
}

async function readSignUp(service: AuthService, body: Body): Promise<Omit<SignUp, 'encryptedPassword'>> {
  if (body.password === '') throw invalid('Signup requires a valid password')
  await checkPassword(body.password, service)
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided on signup.')
  }
  const flow = readFlow(body)
  if (body.phone !== '' && flow) throw invalid('PKCE not supported for phone signups')
  const channel = body.phone === '' ? undefined : checkChannel(body.channel, service)
  if (body.phone === '') requireProvider(service, 'email', 'Email signups are disabled')
  else requireProvider(service, 'phone', 'Phone signups are disabled')
  return { address: checkAddress(body), data: body.data ?? {}, flow, channel }
}

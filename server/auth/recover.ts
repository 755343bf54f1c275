// POST /recover, /otp, /magiclink and /resend: letters and texts that anyone may ask for. Where there is no such
// account the answer is the same as where there is one.
import { z } from 'zod'
import type { Queryable } from '../jobs/jobs.ts'
import { checkEmail, checkPhone } from './addresses.ts'
import { audit } from './audit.ts'
import { challenge, flag, object, text } from './body.ts'
import { sendEmailChange, sendLetterCode, sendTextCode } from './codes.ts'
import { badRequest, invalid, unprocessable } from './errors.ts'
import { type Flow, readFlow, saveFlow } from './flow-state.ts'
import { type AuthService, audience, countRequest, type Origin } from './service.ts'
import { refuseWhenClosed, register } from './signup.ts'
import { isUnconfirmedSignUp } from './unconfirmed.ts'
import { findUserByEmail, findUserById, findUserByPhone, type Metadata, type User } from './users.ts'

/** Nothing, or the id of the text message that was queued. */
type Sent = { message_id?: string }

export const recoverBody = z.object({ email: text, ...challenge })

/** Mails a link for choosing a new password. */
export async function recover(
  service: AuthService,
  body: z.output<typeof recoverBody>,
  origin: Origin,
): Promise<Sent> {
  countRequest(service.limits.signInSignUps, origin)
  requireEmail(service, 'Email logins are disabled')
  if (body.email === '') throw invalid('Password recovery requires an email')
  const email = checkEmail(body.email)
  const flow = readFlow(body)
  return withUser(service, { email }, async (client, user) => {
    await audit(client, origin.ip, user, 'user_recovery_requested')
    if (flow) await saveFlow(client, flow, user.id, 'recovery')
    await sendLetterCode(client, service, user, 'recovery', { flow, redirectTo: origin.redirectTo })
    return {}
  })
}

export const otpBody = z.object({
  email: text,
  phone: text,
  create_user: flag(true),
  data: object,
  channel: text,
  ...challenge,
})

type OtpBody = z.output<typeof otpBody>

/** Mails a magic link or texts a code; makes the account when there is none and `create_user` does not forbid it. */
export async function sendOtp(service: AuthService, body: OtpBody, origin: Origin): Promise<Sent> {
  countRequest(service.limits.signInSignUps, origin)
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided')
  }
  if (body.email !== '' && body.channel !== '') {
    throw invalid('Channel should only be specified with Phone OTP')
  }
  const flow = readFlow(body)
  if (body.email !== '') {
    requireEmail(service, 'Email logins are disabled')
    return sendMagicLink(service, checkEmail(body.email), { ...body, flow }, origin)
  }
  if (body.phone === '') throw invalid('One of email or phone must be set')
  if (!service.settings.sms.enable_signup) {
    throw badRequest('phone_provider_disabled', 'Unsupported phone provider')
  }
  return textCode(service, checkPhone(body.phone), body, origin)
}

type OtpOptions = { create_user: boolean; data: Metadata | null; flow: Flow }

async function sendMagicLink(
  service: AuthService,
  email: string,
  { create_user, data, flow }: OtpOptions,
  origin: Origin,
): Promise<Sent> {
  const user = await findUserByEmail(service.database.pool, email, audience)
  refuseMissing(user, create_user)
  if (mustSignUp(user, user?.email_confirmed_at, service.settings.email)) {
    refuseWhenClosed(service)
    // The letter that confirms the address also signs in.
    const account = { email, phone: '', data: data ?? {}, flow, encryptedPassword: null }
    await register(service, { ...account, onlySignIn: !create_user }, origin)
    if (service.settings.email.enable_confirmations) return {}
  }
  return withUser(service, { email }, async (client, known) => {
    await audit(client, origin.ip, known, 'user_recovery_requested')
    if (flow) await saveFlow(client, flow, known.id, 'magiclink')
    await sendLetterCode(client, service, known, 'magic_link', { flow, redirectTo: origin.redirectTo })
    return {}
  })
}

async function textCode(
  service: AuthService,
  phone: string,
  { create_user, data }: OtpBody,
  origin: Origin,
): Promise<Sent> {
  const user = await findUserByPhone(service.database.pool, phone, audience)
  refuseMissing(user, create_user)
  if (mustSignUp(user, user?.phone_confirmed_at, service.settings.sms)) {
    refuseWhenClosed(service)
    const account = { email: '', phone, data: data ?? {}, flow: null, encryptedPassword: null }
    await register(service, { ...account, onlySignIn: !create_user }, origin)
    if (service.settings.sms.enable_confirmations) return {}
  }
  return withUser(service, { phone }, async (client, known) => {
    await audit(client, origin.ip, known, 'user_recovery_requested', { channel: 'sms' })
    return { message_id: await sendTextCode(client, service, known, phone, 'confirmation') }
  })
}

/**
 * Whether the address has to be signed up first: nobody has it, or it is unconfirmed. Where sign-up confirms by itself,
 * an account that an administrator made waits for the letter or text instead.
 */
function mustSignUp(
  user: User | null,
  confirmedAt: Date | null | undefined,
  { enable_confirmations }: { enable_confirmations: boolean },
): boolean {
  if (!user) return true
  return !confirmedAt && (enable_confirmations || isUnconfirmedSignUp(user))
}

function refuseMissing(user: User | null, createUser: boolean): void {
  if (!user && !createUser) throw unprocessable('otp_disabled', 'Signups not allowed for otp')
}

export const resendBody = z.object({ type: text, email: text, phone: text, ...challenge })

/** Sends the letter or text of a sign-up or of a change of address once more. */
export async function resend(
  service: AuthService,
  body: z.output<typeof resendBody>,
  origin: Origin,
): Promise<Sent> {
  countRequest(service.limits.signInSignUps, origin)
  const { type } = body
  const address = readResendAddress(service, body)
  const flow = address.email ? readFlow(body) : null
  return withUser(service, address, async (client, user): Promise<Sent> => {
    const options = { flow, redirectTo: origin.redirectTo }
    if (type === 'signup' && !user.email_confirmed_at) {
      await audit(client, origin.ip, user, 'user_confirmation_requested')
      if (flow) await saveFlow(client, flow, user.id, 'email/signup')
      await sendLetterCode(client, service, user, 'confirmation', options)
    } else if (type === 'email_change' && user.email_change) {
      if (flow) await saveFlow(client, flow, user.id, 'email_change')
      await sendEmailChange(client, service, user, user.email_change, options)
    } else if (type === 'sms' && user.phone && !user.phone_confirmed_at) {
      await audit(client, origin.ip, user, 'user_recovery_requested')
      return { message_id: await sendTextCode(client, service, user, user.phone, 'confirmation') }
    } else if (type === 'phone_change' && user.phone_change) {
      return { message_id: await sendTextCode(client, service, user, user.phone_change, 'phone_change') }
    }
    return {}
  })
}

function readResendAddress(service: AuthService, { type, email, phone }: z.output<typeof resendBody>) {
  if (!['signup', 'email_change', 'sms', 'phone_change'].includes(type)) {
    throw invalid('Missing one of these types: signup, email_change, sms, phone_change')
  }
  if (type === 'signup' && email === '') throw invalid('Type provided requires an email address')
  if (type === 'sms' && phone === '') throw invalid('Type provided requires a phone number')
  if (email !== '' && phone !== '') {
    throw invalid('Only an email address or phone number should be provided.')
  }
  if (email !== '') {
    requireEmail(service, 'Email logins are disabled')
    return { email: checkEmail(email) }
  }
  if (phone === '') throw invalid('Missing email address or phone number')
  if (!service.settings.sms.enable_signup) {
    throw badRequest('phone_provider_disabled', 'Phone logins are disabled')
  }
  return { phone: checkPhone(phone) }
}

function requireEmail({ settings }: AuthService, words: string): void {
  if (!settings.email.enable_signup) throw badRequest('email_provider_disabled', words)
}

/** Runs `work` on the locked account with this address; answers an empty object when there is none. */
async function withUser(
  { database }: AuthService,
  { email, phone }: { email?: string; phone?: string },
  work: (client: Queryable, user: User) => Promise<Sent>,
): Promise<Sent> {
  return database.transaction(async (client) => {
    const found = email
      ? await findUserByEmail(client, email, audience)
      : await findUserByPhone(client, phone ?? '', audience)
    const user = found && (await findUserById(client, found.id, { lock: true }))
    return user ? work(client, user) : {}
  })
}

// POST /recover, /otp, /magiclink and /resend: emails and texts that anyone may ask for. Nobody learns from them who
// has an account: a request is checked and counted by what it says alone, answered, and looked into by a job.
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { Queryable } from '../../jobs/jobs.ts'
import type { Channel } from '../../sms/text.ts'
import { checkChannel, checkEmail, checkPhone } from '../addresses.ts'
import { challenge, flag, object, text } from '../body.ts'
import { databaseFailure } from '../database-failures.ts'
import { AuthError, badRequest, invalid, refusalByDatabase, unprocessable } from '../errors.ts'
import { sendEmailChange, sendEmailCode, sendTextCode } from '../flows/codes.ts'
import { isUnconfirmedSignUp } from '../flows/unconfirmed.ts'
import { countMessageRequest, countRecipients } from '../limits/messages.ts'
import { type AuthService, audience, countRequest, type Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { type Flow, readFlow, saveFlow } from '../store/flow-state.ts'
import { findUserByEmail, findUserById, findUserByPhone, type Metadata, type User } from '../store/users.ts'
import { refuseWhenClosed, register } from './signup.ts'

/** Nothing, or, for text messages, an id. */
type Sent = { message_id?: string }

/** What a job does of a request once it is answered: by its kind, with the checked body. */
type Requested = { origin: Origin; flow: Flow } & (
  | { kind: 'recovery'; email: string }
  | { kind: 'otp'; address: Address; create_user: boolean; data: Metadata | null; channel: Channel }
  | { kind: 'resend'; address: Address; type: ResendType }
)

/** One of the two; the other is empty. */
type Address = { email: string; phone: string }

/** Registers the job that sends what was asked for; call before the jobs start. */
export function registerRequestedMessages(service: AuthService): void {
  // Who is sent something was counted when it was asked for.
  const counted = { ...service, recipientsCounted: true }
  service.jobs.register('send_requested_message', async (requested: Requested) => {
    try {
      await sendRequested(counted, requested)
    } catch (error) {
      const refusal = error instanceof AuthError ? error : refusalByDatabase(error)
      if (refusal && refusal.status !== 429) {
        const { code, message: reason } = refusal
        service.log.info({ kind: requested.kind, code, reason }, 'nothing was sent')
        return
      }
      // What comes back by itself is tried once more: a budget that is spent, a database that is away or in conflict.
      const transient = /^40/.test((error as { code?: string }).code ?? '')
      const path = { recovery: '/recover', otp: '/otp', resend: '/resend' }[requested.kind]
      if (transient || !databaseFailure(service.log, error, { method: 'POST', path })) throw error
    }
  })
}

async function sendRequested(service: AuthService, requested: Requested): Promise<void> {
  switch (requested.kind) {
    case 'recovery':
      return sendRecovery(service, requested)
    case 'otp':
      return requested.address.email
        ? sendMagicLink(service, requested.address.email, requested, requested.origin)
        : textCode(service, requested.address.phone, requested, requested.origin)
    case 'resend':
      return sendAgain(service, requested)
  }
}

/**
 * Counts the message and has the job send it. Throws over_email_send_rate_limit, over_sms_send_rate_limit, and
 * sms_send_failed where no carrier is configured.
 */
async function request(service: AuthService, requested: Requested, { email, phone }: Address): Promise<Sent> {
  const { database, jobs, settings, sms } = service
  const channel = email ? 'email' : 'sms'
  if (channel === 'sms' && sms.transport === 'none') {
    throw unprocessable('sms_send_failed', 'Unable to get SMS provider')
  }
  countMessageRequest(service, channel, requested.origin)
  await database.transaction(async (client) => {
    await countRecipients(client, service, channel, [email || phone])
    await jobs.enqueue(client, 'send_requested_message', requested, { maxAttempts: 6 })
  })
  if (channel === 'email') return {}
  return { message_id: settings.sms.test_otp[phone] === undefined ? randomUUID() : 'test-otp' }
}

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
  return request(service, { kind: 'recovery', email, flow, origin }, { email, phone: '' })
}

type Recovery = Extract<Requested, { kind: 'recovery' }>

async function sendRecovery(service: AuthService, { email, flow, origin }: Recovery): Promise<void> {
  await withUser(service, { email, phone: '' }, async (client, user) => {
    await audit(client, origin.ip, user, 'user_recovery_requested')
    if (flow) await saveFlow(client, flow, user.id, 'recovery')
    await sendEmailCode(client, service, user, 'recovery', { flow, redirectTo: origin.redirectTo })
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

/** Mails a magic link or texts a code; makes the account when there is none and `create_user` does not forbid it. */
export async function sendOtp(
  service: AuthService,
  body: z.output<typeof otpBody>,
  origin: Origin,
): Promise<Sent> {
  countRequest(service.limits.signInSignUps, origin)
  if (body.email !== '' && body.phone !== '') {
    throw invalid('Only an email address or phone number should be provided')
  }
  if (body.email !== '' && body.channel !== '') {
    throw invalid('Channel should only be specified with Phone OTP')
  }
  const flow = readFlow(body)
  if (body.email !== '') requireEmail(service, 'Email logins are disabled')
  else if (body.phone === '') throw invalid('One of email or phone must be set')
  else if (!service.settings.sms.enable_signup) {
    throw badRequest('phone_provider_disabled', 'Unsupported phone provider')
  }
  const address =
    body.email === ''
      ? { email: '', phone: checkPhone(body.phone) }
      : { email: checkEmail(body.email), phone: '' }
  const channel = body.email === '' ? checkChannel(body.channel, service.sms) : 'sms'
  const { create_user, data } = body
  return request(service, { kind: 'otp', address, create_user, data, flow, channel, origin }, address)
}

type OtpOptions = Pick<Extract<Requested, { kind: 'otp' }>, 'create_user' | 'data' | 'flow' | 'channel'>

async function sendMagicLink(
  service: AuthService,
  email: string,
  { create_user, data, flow }: OtpOptions,
  origin: Origin,
): Promise<void> {
  const user = await findUserByEmail(service.database.pool, email, audience)
  refuseMissing(user, create_user)
  if (mustSignUp(user, user?.email_confirmed_at, service.settings.email)) {
    refuseWhenClosed(service)
    // The email that confirms the address also signs in.
    const account = { email, phone: '', data: data ?? {}, flow, encryptedPassword: null }
    await register(service, { ...account, onlySignIn: !create_user }, origin)
    if (service.settings.email.enable_confirmations) return
  }
  await withUser(service, { email, phone: '' }, async (client, known) => {
    await audit(client, origin.ip, known, 'user_recovery_requested')
    if (flow) await saveFlow(client, flow, known.id, 'magiclink')
    await sendEmailCode(client, service, known, 'magic_link', { flow, redirectTo: origin.redirectTo })
  })
}

async function textCode(
  service: AuthService,
  phone: string,
  { create_user, data, channel }: OtpOptions,
  origin: Origin,
): Promise<void> {
  const user = await findUserByPhone(service.database.pool, phone, audience)
  refuseMissing(user, create_user)
  if (mustSignUp(user, user?.phone_confirmed_at, service.settings.sms)) {
    refuseWhenClosed(service)
    const account = { email: '', phone, data: data ?? {}, flow: null, encryptedPassword: null, channel }
    await register(service, { ...account, onlySignIn: !create_user }, origin)
    if (service.settings.sms.enable_confirmations) return
  }
  await withUser(service, { email: '', phone }, async (client, known) => {
    await audit(client, origin.ip, known, 'user_recovery_requested', { channel })
    await sendTextCode(client, service, known, phone, 'confirmation', channel)
  })
}

/**
 * Whether the address has to be signed up first: nobody has it, or it is unconfirmed. Where sign-up confirms by itself,
 * an account that an administrator made waits for the email or text instead.
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

/** Sends the email or text of a sign-up or of a change of address once more. */
export async function resend(
  service: AuthService,
  body: z.output<typeof resendBody>,
  origin: Origin,
): Promise<Sent> {
  countRequest(service.limits.signInSignUps, origin)
  const address = readResendAddress(service, body)
  const flow = address.email ? readFlow(body) : null
  const type = body.type as ResendType
  return request(service, { kind: 'resend', address, type, flow, origin }, address)
}

const resendTypes = ['signup', 'email_change', 'sms', 'phone_change'] as const
type ResendType = (typeof resendTypes)[number]
type Resend = Extract<Requested, { kind: 'resend' }>

async function sendAgain(service: AuthService, { address, type, flow, origin }: Resend): Promise<void> {
  await withUser(service, address, async (client, user) => {
    const options = { flow, redirectTo: origin.redirectTo }
    if (type === 'signup' && !user.email_confirmed_at) {
      await audit(client, origin.ip, user, 'user_confirmation_requested')
      if (flow) await saveFlow(client, flow, user.id, 'email/signup')
      await sendEmailCode(client, service, user, 'confirmation', options)
    } else if (type === 'email_change' && user.email_change) {
      if (flow) await saveFlow(client, flow, user.id, 'email_change')
      // Only the address that the account has was named, and counted.
      await countRecipients(client, { ...service, recipientsCounted: false }, 'email', [user.email_change])
      await sendEmailChange(client, service, user, user.email_change, options)
    } else if (type === 'sms' && user.phone && !user.phone_confirmed_at) {
      await audit(client, origin.ip, user, 'user_recovery_requested')
      await sendTextCode(client, service, user, user.phone, 'confirmation')
    } else if (type === 'phone_change' && user.phone_change) {
      await countRecipients(client, { ...service, recipientsCounted: false }, 'sms', [user.phone_change])
      await sendTextCode(client, service, user, user.phone_change, 'phone_change')
    }
  })
}

function readResendAddress(
  service: AuthService,
  { type, email, phone }: z.output<typeof resendBody>,
): Address {
  if (!resendTypes.some((known) => known === type)) {
    throw invalid('Missing one of these types: signup, email_change, sms, phone_change')
  }
  if (type === 'signup' && email === '') throw invalid('Type provided requires an email address')
  if (type === 'sms' && phone === '') throw invalid('Type provided requires a phone number')
  if (email !== '' && phone !== '') {
    throw invalid('Only an email address or phone number should be provided.')
  }
  if (email !== '') {
    requireEmail(service, 'Email logins are disabled')
    return { email: checkEmail(email), phone: '' }
  }
  if (phone === '') throw invalid('Missing email address or phone number')
  if (!service.settings.sms.enable_signup) {
    throw badRequest('phone_provider_disabled', 'Phone logins are disabled')
  }
  return { email: '', phone: checkPhone(phone) }
}

function requireEmail({ settings }: AuthService, words: string): void {
  if (!settings.email.enable_signup) throw badRequest('email_provider_disabled', words)
}

/** Runs `work` on the locked account with this address, if there is one. */
async function withUser(
  { database }: AuthService,
  { email, phone }: Address,
  work: (client: Queryable, user: User) => Promise<void>,
): Promise<void> {
  await database.transaction(async (client) => {
    const found = email
      ? await findUserByEmail(client, email, audience)
      : await findUserByPhone(client, phone, audience)
    const user = found && (await findUserById(client, found.id, { lock: true }))
    if (user) await work(client, user)
  })
}

// Emails and text messages that anyone may ask for. Nobody learns from them who has an account: a request is checked
// and counted by its own text alone, answered, and a job looks for the account afterwards.
import { randomUUID } from 'node:crypto'
import type { Channel } from '../../sms/text.ts'
import type { Transaction } from '../../sql/queryable.ts'
import type { Address, AddressKind } from '../addresses.ts'
import { databaseFailure } from '../database-failures.ts'
import { type AuthError, authErrorOf, unprocessable } from '../errors.ts'
import { countMessageRequest, countRecipients, type MessagePurpose } from '../limits/messages.ts'
import type { AuthService, Origin } from '../service.ts'
import { audit } from '../store/audit.ts'
import { type Flow, saveFlow } from '../store/flow-state.ts'
import { keyedHash } from '../store/rate-limits.ts'
import { findUserByAddress, type Metadata, type User } from '../store/users.ts'
import { sendEmailChange, sendEmailCode, sendSmsCode, TEST_MESSAGE_ID } from './codes.ts'
import { needsConfirmation, requireSignUpEnabled, signUpAddress } from './sign-up.ts'
import { requireCarrier } from './texts.ts'
import { isUnconfirmedSignUp, revokeAccess } from './unconfirmed.ts'

export const RESEND_TYPES = ['signup', 'email_change', 'sms', 'phone_change'] as const
type ResendType = (typeof RESEND_TYPES)[number]

/** A checked request, as the job is given it. */
export type MessageRequest = { address: Address; flow: Flow; origin: Origin } & (
  | { kind: 'recovery' }
  | { kind: 'otp'; createUser: boolean; data: Metadata | null; channel: Channel }
  | { kind: 'refused_otp' }
  | { kind: 'resend'; type: ResendType }
)
type OtpRequest = Extract<MessageRequest, { kind: 'otp' }>
type ResendRequest = Extract<MessageRequest, { kind: 'resend' }>

/** The endpoint of each kind, for the log. */
const PATHS = { recovery: '/recover', otp: '/otp', refused_otp: '/otp', resend: '/resend' }

const RESEND_PURPOSES = {
  signup: 'confirmation',
  email_change: 'email_change',
  sms: 'confirmation',
  phone_change: 'phone_change',
} as const

/** The purpose of the requested message, the same for every state of the account. */
function purposeOf(request: MessageRequest): MessagePurpose {
  if (request.kind === 'recovery') return 'recovery'
  if (request.kind === 'resend') return RESEND_PURPOSES[request.type]
  // A text message signs in and confirms by the same code.
  return request.address.kind === 'email' ? 'magic_link' : 'confirmation'
}

/**
 * Counts the message and queues the job that sends it. Answers nothing, or, for text messages, an id. Throws
 * over_email_send_rate_limit, over_sms_send_rate_limit, and sms_send_failed where no carrier is configured.
 */
export async function requestMessage(
  service: AuthService,
  request: MessageRequest,
): Promise<{ message_id?: string }> {
  const { database, jobs, settings } = service
  const { kind, value } = request.address
  if (kind === 'phone') requireCarrier(service)
  try {
    countMessageRequest(service, kind, request.origin)
    await database.transaction(async (client) => {
      await countRecipients(client, service, kind, purposeOf(request), [value])
      await jobs.enqueue(client, 'send_requested_message', request, { maxAttempts: 6 })
    })
  } catch (error) {
    // A code to sign in with is a claim, too: the password of an earlier one goes, although no message is sent.
    if (authErrorOf(error) && request.kind === 'otp') {
      const refused: MessageRequest = { ...request, kind: 'refused_otp' }
      const jobKey = keyedHash(service.keys, 'refused_otp', value)
      await jobs.enqueue(database.pool, 'send_requested_message', refused, { jobKey, maxAttempts: 6 })
    }
    throw error
  }
  if (kind === 'email') return {}
  return { message_id: settings.sms.test_otp[value] === undefined ? randomUUID() : TEST_MESSAGE_ID }
}

/** Registers the job that sends what was requested; call before the jobs start. */
export function registerRequestedMessages(service: AuthService): void {
  // Recipients were counted when the message was requested.
  const counted = { ...service, recipientsCounted: true }
  service.jobs.register('send_requested_message', async (request: MessageRequest) => {
    try {
      await send(counted, request)
    } catch (error) {
      const known = authErrorOf(error)
      if (known && !mayPass(known)) {
        const { code, message: reason } = known
        service.log.info({ kind: request.kind, code, reason }, 'nothing was sent')
        return
      }
      // Temporary errors are retried, also an unavailable database and a serialization conflict.
      const transient = /^40/.test((error as { code?: string }).code ?? '')
      const endpoint = { method: 'POST', path: PATHS[request.kind] }
      if (transient || !databaseFailure(service.log, error, endpoint)) throw error
    }
  })
}

/** Whether a later try may go through: a quota that is spent, a hook that is away. */
const mayPass = ({ status, code }: AuthError): boolean =>
  status === 429 || status >= 500 || code.startsWith('hook_')

function send(service: AuthService, request: MessageRequest): Promise<void> {
  switch (request.kind) {
    case 'recovery':
      return sendRecovery(service, request)
    case 'otp':
      return sendOneTimePassword(service, request)
    case 'refused_otp':
      return withAccount(service, request.address, async (client, user) => {
        if (isUnconfirmedSignUp(user)) await revokeAccess(client, user)
      })
    case 'resend':
      return sendAgain(service, request)
  }
}

function sendRecovery(service: AuthService, { address, flow, origin }: MessageRequest): Promise<void> {
  return withAccount(service, address, async (client, user) => {
    await audit(client, origin.ip, user, 'user_recovery_requested')
    if (flow) await saveFlow(client, flow, user.id, 'recovery')
    await sendEmailCode(client, service, user, 'recovery', { flow, ...origin })
  })
}

async function sendOneTimePassword(service: AuthService, request: OtpRequest): Promise<void> {
  const { address, createUser, data, flow, channel, origin } = request
  const user = await findUserByAddress(service.database.pool, address)
  if (!user && !createUser) throw unprocessable('otp_disabled', 'Signups not allowed for otp')
  if (mustSignUp(service, user, address.kind)) {
    requireSignUpEnabled(service)
    // The message that confirms the address also signs in.
    const signUp = { address, data: data ?? {}, flow, channel, encryptedPassword: null }
    await signUpAddress(service, { ...signUp, onlySignIn: !createUser }, origin)
    if (needsConfirmation(service, address.kind)) return
  }
  await withAccount(service, address, async (client, account) => {
    if (address.kind === 'phone') {
      await audit(client, origin.ip, account, 'user_recovery_requested', { channel })
      await sendSmsCode(client, service, account, address.value, 'confirmation', { channel, ip: origin.ip })
      return
    }
    await audit(client, origin.ip, account, 'user_recovery_requested')
    if (flow) await saveFlow(client, flow, account.id, 'magiclink')
    await sendEmailCode(client, service, account, 'magic_link', { flow, ...origin })
  })
}

/**
 * Whether the address has to be signed up first: it has no account, or one that is unconfirmed. Where sign-up confirms
 * by itself, an account that an administrator made is sent the message instead.
 */
function mustSignUp(service: AuthService, user: User | null, kind: AddressKind): boolean {
  if (!user) return true
  const confirmedAt = kind === 'email' ? user.email_confirmed_at : user.phone_confirmed_at
  return !confirmedAt && (needsConfirmation(service, kind) || isUnconfirmedSignUp(user))
}

function sendAgain(service: AuthService, { address, type, flow, origin }: ResendRequest): Promise<void> {
  return withAccount(service, address, async (client, user) => {
    const options = { flow, ...origin }
    // Only the account's current address was named, and counted.
    const uncounted = { ...service, recipientsCounted: false }
    if (type === 'signup' && !user.email_confirmed_at) {
      await audit(client, origin.ip, user, 'user_confirmation_requested')
      if (flow) await saveFlow(client, flow, user.id, 'email/signup')
      await sendEmailCode(client, service, user, 'confirmation', options)
    } else if (type === 'email_change' && user.email_change) {
      if (flow) await saveFlow(client, flow, user.id, 'email_change')
      await countRecipients(client, uncounted, 'email', 'email_change', [user.email_change])
      await sendEmailChange(client, service, user, user.email_change, options)
    } else if (type === 'sms' && user.phone && !user.phone_confirmed_at) {
      await audit(client, origin.ip, user, 'user_recovery_requested')
      await sendSmsCode(client, service, user, user.phone, 'confirmation', origin)
    } else if (type === 'phone_change' && user.phone_change) {
      await countRecipients(client, uncounted, 'phone', 'phone_change', [user.phone_change])
      await sendSmsCode(client, service, user, user.phone_change, 'phone_change', origin)
    }
  })
}

/** Runs `work` on the locked account with this address, if there is one. */
async function withAccount(
  { database }: AuthService,
  address: Address,
  work: (client: Transaction, user: User) => Promise<void>,
): Promise<void> {
  await database.transaction(async (client) => {
    const user = await findUserByAddress(client, address, { lock: true })
    if (user) await work(client, user)
  })
}

// The change of an account's own e-mail address or phone number: started with a code to the new one, applied when it
// is confirmed.

import type { Channel } from '../../sms/text.ts'
import type { Transaction } from '../../sql/queryable.ts'
import type { Address } from '../addresses.ts'
import { notifyByEmail } from '../emails/send.ts'
import type { AuthError } from '../errors.ts'
import type { AuthService } from '../service.ts'
import { saveFlow } from '../store/flow-state.ts'
import { mergeIdentity, syncProviders } from '../store/identities.ts'
import { clearTokens, type TokenType } from '../store/one-time-tokens.ts'
import { mergeMetadata, reloadUser, type User, updateUser } from '../store/users.ts'
import { addressTaken, rethrowTaken } from './accounts.ts'
import { type LinkOptions, sendEmailChange, sendSmsCode } from './codes.ts'
import { attemptMessage } from './refused-messages.ts'
import { freeAddress, isAddressHeld } from './unconfirmed.ts'

/**
 * Starts the change and mails the links that confirm it. The newest change replaces one that is not confirmed yet, also
 * where the links may not be sent: why is answered, to be thrown after the commit. `refused` says so beforehand. Throws
 * email_exists.
 */
export async function startEmailChange(
  client: Transaction,
  service: AuthService,
  userId: string,
  email: string,
  { refused, ...options }: LinkOptions & { refused: AuthError | null },
): Promise<AuthError | null> {
  const address: Address = { kind: 'email', value: email }
  await clearTokens(client, userId, 'email_change_token_new')
  await clearTokens(client, userId, 'email_change_token_current')
  if (refused) {
    await updateUser(client, userId, { email_change: '', email_change_confirm_status: 0 })
    return refused
  }
  if (await isAddressHeld(client, address, userId)) throw addressTaken('email')
  const user = await reloadUser(client, userId)
  if (user.is_anonymous && !service.settings.email.enable_confirmations) {
    await applyAddressChange(client, user, address)
    return null
  }
  await updateUser(client, userId, { email_change: email, email_change_confirm_status: 0 })
  return attemptMessage(client, async () => {
    if (options.flow) await saveFlow(client, options.flow, userId, 'email_change')
    await sendEmailChange(client, service, user, email, options)
  })
}

/**
 * The same for a phone number, by a code; it is changed at once where none is asked for. Throws phone_exists.
 */
export async function startPhoneChange(
  client: Transaction,
  service: AuthService,
  userId: string,
  phone: string,
  { refused, ...details }: { channel: Channel; ip: string | null; refused: AuthError | null },
): Promise<AuthError | null> {
  const address: Address = { kind: 'phone', value: phone }
  await clearTokens(client, userId, 'phone_change_token')
  if (refused) {
    await updateUser(client, userId, { phone_change: '' })
    return refused
  }
  if (await isAddressHeld(client, address, userId)) throw addressTaken('phone')
  const user = await reloadUser(client, userId)
  if (service.settings.sms.enable_confirmations) {
    await updateUser(client, userId, { phone_change: phone })
    return attemptMessage(client, () => sendSmsCode(client, service, user, phone, 'phone_change', details))
  }
  const changed = await applyAddressChange(client, user, address)
  await notifyByEmail(client, service, changed, 'phone_changed', {
    oldPhone: user.phone ?? '',
    ip: details.ip,
  })
  return null
}

/** Puts a confirmed new address in the place of the current one. Throws email_exists or phone_exists. */
export async function applyAddressChange(
  client: Transaction,
  user: User,
  { kind, value }: Address,
): Promise<User> {
  await freeAddress(client, { kind, value }, user.id)
  const changes =
    kind === 'email'
      ? {
          email: value,
          email_change: '',
          email_change_confirm_status: 0,
          email_confirmed_at: user.email_confirmed_at ?? new Date(),
        }
      : { phone: value, phone_change: '', phone_confirmed_at: new Date() }
  await updateUser(client, user.id, { ...changes, is_anonymous: false }).catch(rethrowTaken)
  await mergeIdentity(client, user.id, kind, { [kind]: value, [`${kind}_verified`]: true })
  await clearTokens(client, user.id)
  await syncProviders(client, user.id)
  if (kind === 'phone') return reloadUser(client, user.id)
  return mergeMetadata(client, user.id, 'raw_user_meta_data', { email: value, email_verified: true })
}

/** Where both addresses have to confirm, notes the first and answers true; false when the change can be applied. */
export async function awaitsSecondConfirmation(
  client: Transaction,
  { settings }: AuthService,
  user: User,
  used: TokenType,
): Promise<boolean> {
  const both = settings.email.enable_confirmations && settings.email.double_confirm_changes && user.email
  if (!both || user.email_change_confirm_status !== 0) return false
  await clearTokens(client, user.id, used)
  await updateUser(client, user.id, { email_change_confirm_status: 1 })
  return true
}

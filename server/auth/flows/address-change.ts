// The change of an account's own e-mail address or phone number: started with a code to the new one, applied when it
// is confirmed.

import type { Channel } from '../../sms/text.ts'
import type { Transaction } from '../../sql/queryable.ts'
import type { Address } from '../addresses.ts'
import { notifyByEmail } from '../emails/send.ts'
import type { AuthService } from '../service.ts'
import { saveFlow } from '../store/flow-state.ts'
import { mergeIdentity, syncProviders } from '../store/identities.ts'
import { clearTokens, type TokenType } from '../store/one-time-tokens.ts'
import { mergeMetadata, reloadUser, type User, updateUser } from '../store/users.ts'
import { addressTaken, rethrowTaken } from './accounts.ts'
import { type LinkOptions, sendEmailChange, sendSmsCode } from './codes.ts'
import { freeAddress, isAddressHeld } from './unconfirmed.ts'

/** Mails the links that confirm the new e-mail address. Throws email_exists. */
export async function startEmailChange(
  client: Transaction,
  service: AuthService,
  userId: string,
  email: string,
  options: LinkOptions,
): Promise<void> {
  const address: Address = { kind: 'email', value: email }
  if (await isAddressHeld(client, address, userId)) throw addressTaken('email')
  const user = await reloadUser(client, userId)
  if (user.is_anonymous && !service.settings.email.enable_confirmations) {
    await applyAddressChange(client, user, address)
    return
  }
  if (options.flow) await saveFlow(client, options.flow, userId, 'email_change')
  await sendEmailChange(client, service, user, email, options)
}

/** Texts the code that confirms the new phone number, or changes it at once where none is asked for. Throws phone_exists. */
export async function startPhoneChange(
  client: Transaction,
  service: AuthService,
  userId: string,
  phone: string,
  details: { channel: Channel; ip: string | null },
): Promise<void> {
  const address: Address = { kind: 'phone', value: phone }
  if (await isAddressHeld(client, address, userId)) throw addressTaken('phone')
  const user = await reloadUser(client, userId)
  if (service.settings.sms.enable_confirmations) {
    await sendSmsCode(client, service, user, phone, 'phone_change', details)
    return
  }
  const changed = await applyAddressChange(client, user, address)
  await notifyByEmail(client, service, changed, 'phone_changed', {
    oldPhone: user.phone ?? '',
    ip: details.ip,
  })
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

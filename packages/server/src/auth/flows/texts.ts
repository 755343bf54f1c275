// Text messages with a code, which leave by the project's hook, where it has one, or by a carrier.
import type { Channel } from '../../sms/text.ts'
import type { Transaction } from '../../sql/queryable.ts'
import { unprocessable } from '../errors.ts'
import { isHookEnabled, runHook } from '../hooks/hooks.ts'
import type { AuthService } from '../service.ts'
import { type User, userJson } from '../store/users.ts'

/** Throws sms_send_failed where nothing takes text messages. */
export function requireCarrier(service: AuthService): void {
  if (service.sms.transport !== 'none' || isHookEnabled(service, 'send_sms')) return
  throw unprocessable('sms_send_failed', 'Unable to get SMS provider')
}

/** Stored instead of a code that the carrier creates and checks. No typed code is compared with it. */
export const APPROVED = 'approved by the carrier'

/** Whether the carrier makes the codes for this number. */
export const carrierChecks = ({ sms, settings }: AuthService, to: string): boolean =>
  sms.check !== null && !settings.hook.send_sms.enabled && settings.sms.test_otp[to] === undefined

/** The typed code as it is compared with ours; the carrier is asked about its own. */
export async function typedCode(service: AuthService, to: string, code: string): Promise<string> {
  if (!carrierChecks(service, to)) return code
  return (await service.sms.check?.(to, code)) ? APPROVED : ''
}

export type CodeText = {
  /** The purpose of the code; `mfa` has its own template. */
  purpose: 'confirmation' | 'reauthentication' | 'phone_change' | 'mfa'
  /** The number, without the plus. */
  to: string
  code: string
  channel?: Channel
  /** The client's address, for the hook. */
  ip?: string | null
}

/** Texts the code. Answers the message's id, which is empty where the hook sends it. Throws what the hook throws. */
export async function sendText(
  client: Transaction,
  service: AuthService,
  user: User,
  { purpose, to, code, channel = 'sms', ip = null }: CodeText,
): Promise<string> {
  const { sms, texts } = service
  if (isHookEnabled(service, 'send_sms')) {
    const text = { otp: code, phone: to, ...(purpose === 'mfa' ? { sms_type: 'mfa' } : {}) }
    await runHook(service, 'send_sms', { user: userJson(user), sms: text }, { client, ip })
    return ''
  }
  const values = { Code: code, Data: user.raw_user_meta_data ?? {} }
  const body = texts.render(purpose === 'mfa' ? 'mfa' : 'sms', values)
  return sms.send(client, { kind: purpose, to, body, channel })
}

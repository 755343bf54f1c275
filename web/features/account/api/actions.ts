// Changes to one's own account: password, address, devices, visibility. Each rejects with the service's error.
import { captchaToken } from '../../../lib/captcha.ts'
import { withFreshSignIn } from '../../../lib/freshSignIn.ts'
import {
  type NotificationChoice,
  notificationSettingsKey,
  saveNotificationChoices,
} from '../../../lib/queries/notificationSettings.ts'
import { profileKey } from '../../../lib/queries/profile.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import type { NewPassword } from '../schema.ts'
import { accountKey, type Session, sessionsKey, type Visibility } from './queries.ts'

/** Where the links of a change of address lead back to. */
const emailRedirectTo = () => new URL('/profile?tab=security', location.origin).href

/** E-mails on or off for all kinds that can be turned off; the bell stays as it is. */
export const saveEmailNotifications = (
  userId: string,
): Action<{ enabled: boolean; kinds: Omit<NotificationChoice, 'email'>[] }> => ({
  invalidates: [notificationSettingsKey(userId)],
  callbacksAfterRefresh: true,
  run: ({ enabled, kinds }) => saveNotificationChoices(kinds.map((kind) => ({ ...kind, email: enabled }))),
})

/** Every other device is signed out with it. */
export const changePassword = (userId: string): Action<NewPassword> => ({
  invalidates: [sessionsKey(userId), accountKey(userId)],
  run: async ({ password, currentPassword, code }) => {
    const { error } = await supabase.auth.updateUser({
      password,
      ...(currentPassword ? { current_password: currentPassword } : {}),
      ...(code ? { nonce: code } : {}),
    })
    if (error) throw error
    // They are ended by now; this tells them so at once. If it fails they find out by themselves.
    await supabase.rpc('end_other_sessions')
  },
})

/** Mails the code that a change of password asks for where the sign-in is a while ago, or there is none yet. */
export const sendPasswordCode: Action = {
  run: async () => {
    const { error } = await supabase.auth.reauthenticate()
    if (error) throw error
  },
}

/** Mails the links that confirm a new address; until they are opened the account keeps the one it has. */
export const changeEmail = (userId: string): Action<{ email: string }> => ({
  invalidates: [accountKey(userId)],
  run: ({ email }) =>
    withFreshSignIn(async () => {
      const { error } = await supabase.auth.updateUser({ email }, { emailRedirectTo: emailRedirectTo() })
      if (error) throw error
    }),
})

/** Mails them again; `email` is the present address. */
export const resendEmailChange: Action<string> = {
  run: async (email) => {
    const options = { emailRedirectTo: emailRedirectTo(), captchaToken: await captchaToken() }
    const { error } = await supabase.auth.resend({ type: 'email_change', email, options })
    if (error) throw error
  },
}

export const endSession = (userId: string): Action<Session> => ({
  invalidates: [sessionsKey(userId)],
  invalidatesOnError: true,
  run: async ({ id }) => {
    await supabase.rpc('end_session', { id }).throwOnError()
  },
})

/** Resolves to how many there were. */
export const endOtherSessions = (userId: string): Action<void, number> => ({
  invalidates: [sessionsKey(userId)],
  invalidatesOnError: true,
  run: async () => (await supabase.rpc('end_other_sessions').throwOnError()).data,
})

export const saveVisibility = (userId: string): Action<Visibility> => ({
  invalidates: [profileKey(userId), ['publicProfile'], ['taskers']],
  callbacksAfterRefresh: true,
  run: async (visibility) => {
    await supabase
      .from('profiles')
      .update({ visibility })
      .eq('id', userId)
      .select('id')
      .single()
      .throwOnError()
  },
})

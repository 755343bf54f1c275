// The calls of the sign-in screen to the auth service (specification 000 §7). Each rejects with the service's error.
import { AuthError } from '@supabase/supabase-js'
import i18next from 'i18next'
import { captchaToken } from '../../../lib/captcha.ts'
import { withFreshSignIn } from '../../../lib/freshSignIn.ts'
import { paths } from '../../../lib/paths.ts'
import type { ProviderId } from '../../../lib/providers.ts'
import { profileKey } from '../../../lib/queries/profile.ts'
import { unfinishedAccountKey } from '../../../lib/queries/unfinishedAccount.ts'
import { awaitsSecondStep } from '../../../lib/secondStep.ts'
import { rolesKey } from '../../../lib/session.tsx'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import type { FinishedAccount, SignUp } from '../schema.ts'

/** Where the links in e-mails lead: a path of this app, on the origin it runs on. */
const here = (path: string) => new URL(path, location.origin).href

/** Resolves to whether a second step is still to come. */
export const signIn: Action<{ email: string; password: string }, boolean> = {
  run: async ({ email, password }) => {
    const options = { captchaToken: await captchaToken() }
    const { data, error } = await supabase.auth.signInWithPassword({ email, password, options })
    if (error) throw error
    return awaitsSecondStep(data.session)
  },
}

/** Resolves to whether a second step is still to come. The browser asks which passkey. */
export const signInWithPasskey: Action<void, boolean> = {
  run: async () => {
    const options = { captchaToken: await captchaToken() }
    const { data, error } = await supabase.auth.signInWithPasskey({ options })
    if (error) throw error
    return data.session !== null && awaitsSecondStep(data.session)
  },
}

/** The second step, by the six digits of an authenticator app. */
export const verifyCode: Action<{ factorId: string; code: string }> = {
  run: async ({ factorId, code }) => {
    const { error } = await supabase.auth.mfa.challengeAndVerify({ factorId, code })
    if (error) throw error
  },
}

/** The second step, by a security key that the browser asks for. */
export const verifyKey: Action<string> = {
  run: async (factorId) => {
    const { error } = await supabase.auth.mfa.webauthn.authenticate({ factorId })
    if (error) throw error
  },
}

/** Resolves to whether the code was right; then the account has no second factor any more, and this is signed in. */
export const redeemRecoveryCode: Action<{ code: string }, boolean> = {
  run: async ({ code }) => {
    const { data: taken } = await supabase.rpc('use_recovery_code', { code }).throwOnError()
    if (!taken) return false
    const { error } = await supabase.auth.refreshSession()
    if (error) throw error
    return true
  },
}

/**
 * Removes second factors that somebody else added, in a session that a reset by e-mail began. Signed in by it from then on;
 * `onRemoved` is called before, while the screen of the second step is still shown.
 */
export const removeUnknownFactors: Action<{ factorIds: string[]; onRemoved: () => unknown }> = {
  run: async ({ factorIds, onRemoved }) => {
    for (const factorId of factorIds) {
      const { error } = await supabase.auth.mfa.unenroll({ factorId })
      // Removed by an earlier try, which did not come to its end.
      if (error && error.code !== 'mfa_factor_not_found') throw error
    }
    await onRemoved()
    const { error } = await supabase.auth.refreshSession()
    if (error) throw error
  },
}

/** Gives the sign-in up before its second step. */
export const leaveSignIn: Action = {
  run: async () => {
    const { error } = await supabase.auth.signOut({ scope: 'local' })
    if (error) throw error
  },
}

/** Makes the account; its e-mail must be confirmed before sign-in works, and its link leads to `confirmed`, a path of this app. */
export const signUp: Action<SignUp & { confirmed: string }> = {
  run: async ({ fullName, email, phone, password, role, confirmed }) => {
    const { data, error } = await supabase.auth.signUp({
      email,
      password,
      options: {
        // Emails are written in this language, where their templates have it.
        data: { full_name: fullName, phone: phone || null, role, language: i18next.language },
        emailRedirectTo: here(confirmed),
        captchaToken: await captchaToken(),
      },
    })
    if (error) throw error
    // The service answers a known address like a new one, with no identity in it.
    if (data.user?.identities?.length === 0) {
      throw new AuthError('User already registered', 422, 'user_already_exists')
    }
  },
}

/**
 * Sends the e-mail of a sign-up again, as a new sign-up while that is known: `resend` would send a link that confirms
 * the newest sign-up for the address, which may be a stranger's.
 */
export const resendConfirmation: Action<{ email: string; made: SignUp | null; confirmed: string }> = {
  run: async ({ email, made, confirmed }) => {
    if (made) return signUp.run({ ...made, confirmed })
    const { error } = await supabase.auth.resend({
      type: 'signup',
      email,
      options: { emailRedirectTo: here(confirmed), captchaToken: await captchaToken() },
    })
    if (error) throw error
  },
}

/** Purposes of links in auth e-mails, as in their `type`. */
export const LINK_TYPES = ['signup', 'invite', 'magiclink', 'recovery', 'email_change'] as const
export type LinkType = (typeof LINK_TYPES)[number]

/** Uses the link. Resolves to whether somebody is signed in by it; not so by the first of two links. */
export const confirmLink: Action<{ hash: string; type: LinkType }, boolean> = {
  run: async ({ hash, type }) => {
    const { data, error } = await supabase.auth.verifyOtp({ token_hash: hash, type })
    if (error) throw error
    return data.session !== null
  },
}

/** Verifies the code of an e-mail, which does the same as its link. */
export const confirmCode: Action<{ email: string; code: string; type: 'signup' | 'recovery' }> = {
  run: async ({ email, code, type }) => {
    const { error } = await supabase.auth.verifyOtp({ email, token: code, type })
    if (error) throw error
  },
}

export const sendPasswordLink: Action<{ email: string }> = {
  run: async ({ email }) => {
    const { error } = await supabase.auth.resetPasswordForEmail(email, {
      redirectTo: here(`${paths.auth}?view=new-password`),
      captchaToken: await captchaToken(),
    })
    if (error) throw error
  },
}

export const setPassword: Action<{ password: string }> = {
  run: ({ password }) =>
    withFreshSignIn(async () => {
      const { error } = await supabase.auth.updateUser({ password })
      if (error) throw error
    }),
}

/** Goes to another service; the browser comes back to `back`, a path of this app, signed in or with the reason why not. */
export const signInWithProvider: Action<{ provider: ProviderId; back: string }> = {
  run: async ({ provider, back }) => {
    const { error } = await supabase.auth.signInWithOAuth({
      provider,
      options: { redirectTo: here(back) },
    })
    if (error) throw error
  },
}

/** Says once what somebody who came by a provider is here for. */
export const finishAccount = (userId: string): Action<FinishedAccount> => ({
  invalidates: [unfinishedAccountKey(userId), profileKey(userId), rolesKey(userId)],
  run: async ({ fullName, phone, role }) => {
    await supabase.rpc('finish_account', { full_name: fullName, phone, role }).throwOnError()
  },
})

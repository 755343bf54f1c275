// The calls of the sign-in screen to the auth service (specification 000 §7). Each rejects with the service's error.
import { AuthError } from '@supabase/supabase-js'
import { paths } from '../../../lib/paths.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import type { SignUp } from '../schema.ts'

/** Where the links in e-mails lead: a path of this app, on the origin it runs on. */
const here = (path: string) => new URL(path, location.origin).href

export const signIn: Action<{ email: string; password: string }> = {
  run: async ({ email, password }) => {
    const { error } = await supabase.auth.signInWithPassword({ email, password })
    if (error) throw error
  },
}

/** Makes the account; its e-mail must be confirmed before sign-in works. */
export const signUp: Action<SignUp> = {
  run: async ({ fullName, email, phone, password, role }) => {
    const { data, error } = await supabase.auth.signUp({
      email,
      password,
      options: {
        data: { full_name: fullName, phone: phone || null, role },
        emailRedirectTo: here(paths.dashboard),
      },
    })
    if (error) throw error
    // The service answers a known address like a new one, with no identity in it.
    if (data.user?.identities?.length === 0) {
      throw new AuthError('User already registered', 422, 'user_already_exists')
    }
  },
}

export const resendConfirmation: Action<string> = {
  run: async (email) => {
    const { error } = await supabase.auth.resend({
      type: 'signup',
      email,
      options: { emailRedirectTo: here(paths.dashboard) },
    })
    if (error) throw error
  },
}

export const sendPasswordLink: Action<{ email: string }> = {
  run: async ({ email }) => {
    const { error } = await supabase.auth.resetPasswordForEmail(email, {
      redirectTo: here(`${paths.auth}?view=new-password`),
    })
    if (error) throw error
  },
}

export const setPassword: Action<{ password: string }> = {
  run: async ({ password }) => {
    const { error } = await supabase.auth.updateUser({ password })
    if (error) throw error
  },
}

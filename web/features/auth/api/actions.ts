// The calls of the sign-in screen to the auth service (specification 000 §7). Each throws the service's error.
import { AuthError } from '@supabase/supabase-js'
import { paths } from '../../../lib/paths.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { SignUp } from '../schema.ts'

/** Where the links in e-mails lead: a path of this app, on the origin it runs on. */
const here = (path: string) => new URL(path, location.origin).href

export async function signIn({ email, password }: { email: string; password: string }): Promise<void> {
  const { error } = await supabase.auth.signInWithPassword({ email, password })
  if (error) throw error
}

/** Makes the account; its e-mail must be confirmed before sign-in works. */
export async function signUp({ fullName, email, phone, password, role }: SignUp): Promise<void> {
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
}

export async function resendConfirmation(email: string): Promise<void> {
  const { error } = await supabase.auth.resend({
    type: 'signup',
    email,
    options: { emailRedirectTo: here(paths.dashboard) },
  })
  if (error) throw error
}

export async function sendPasswordLink(email: string): Promise<void> {
  const { error } = await supabase.auth.resetPasswordForEmail(email, {
    redirectTo: here(`${paths.auth}?view=new-password`),
  })
  if (error) throw error
}

export async function setPassword(password: string): Promise<void> {
  const { error } = await supabase.auth.updateUser({ password })
  if (error) throw error
}

/** Why the link in an e-mail that led here was not taken (expired, used before), or null. */
export async function linkError(): Promise<AuthError | null> {
  const { error } = await supabase.auth.initialize()
  return error
}

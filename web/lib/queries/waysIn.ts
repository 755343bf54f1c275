// Ways into an account other than its password, which outlast a new password and signing out everywhere.
import { supabase } from '../supabase.ts'

/** Whether the account has passkeys, second factors or connected services. Rejects when the service cannot be asked. */
export async function hasOtherWaysIn(): Promise<boolean> {
  const [{ data, error }, passkeys] = await Promise.all([
    supabase.auth.getUser(),
    supabase.auth.passkey.list(),
  ])
  if (error) throw error
  const { factors = [], identities = [] } = data.user
  return (
    factors.some(({ status }) => status === 'verified') ||
    identities.some(isConnected) ||
    (passkeys.data ?? []).length > 0
  )
}

/** Whether an identity is another service's word, and not the account's own address. */
export const isConnected = ({ provider }: { provider: string }): boolean =>
  !['email', 'phone'].includes(provider)

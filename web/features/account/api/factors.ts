// Second factors and recovery codes: what the Security tab shows of them, and what people change.
import { queryOptions } from '@tanstack/react-query'
import { withFreshSignIn } from '../../../lib/freshSignIn.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { sessionsKey } from './queries.ts'

export type Factor = { id: string; kind: 'app' | 'key' | 'phone'; name: string; createdAt: string }

const KINDS = { totp: 'app', webauthn: 'key', phone: 'phone' } as const

/** An authenticator app that has not been proved yet: the QR code as a data URI, and what it says, in base32. */
export type NewAuthenticator = { id: string; qrCode: string; secret: string }

const factorsKey = (userId: string) => ['factors', userId] as const

/** The factors that count, and how many recovery codes are left. */
export const factorsQuery = (userId: string) =>
  queryOptions({
    queryKey: factorsKey(userId),
    queryFn: async ({ signal }) => {
      const [{ data, error }, codes] = await Promise.all([
        supabase.auth.mfa.listFactors(),
        supabase.rpc('recovery_codes_left').abortSignal(signal).throwOnError(),
      ])
      if (error) throw error
      const factors: Factor[] = data.all
        .filter(({ status }) => status === 'verified')
        .map(({ id, factor_type, friendly_name, created_at }) => ({
          id,
          kind: KINDS[factor_type],
          name: friendly_name ?? '',
          createdAt: created_at,
        }))
      return { factors, codesLeft: codes.data }
    },
  })

export const addAuthenticator: Action<{ name: string }, NewAuthenticator> = {
  run: ({ name }) =>
    withFreshSignIn(async () => {
      const { data, error } = await supabase.auth.mfa.enroll({ factorType: 'totp', friendlyName: name })
      if (error) throw error
      return { id: data.id, qrCode: data.totp.qr_code, secret: data.totp.secret }
    }),
}

/** Two-step verification is on from then on, and other devices are signed out. */
export const proveAuthenticator = (userId: string): Action<{ id: string; code: string }> => ({
  invalidates: [factorsKey(userId), sessionsKey(userId)],
  run: ({ id, code }) =>
    withFreshSignIn(async () => {
      const { error } = await supabase.auth.mfa.challengeAndVerify({ factorId: id, code })
      if (error) throw error
    }),
})

/** A security key. The browser asks for it; two-step verification is on from then on, and other devices are signed out. */
export const addSecurityKey = (userId: string): Action<{ name: string }> => ({
  invalidates: [factorsKey(userId), sessionsKey(userId)],
  run: async ({ name }) => {
    const { mfa } = supabase.auth
    // In steps, since the client's `register` removes the factor that already has this name.
    const added = await withFreshSignIn(async () => {
      const { data, error } = await mfa.enroll({ factorType: 'webauthn', friendlyName: name })
      if (error) throw error
      return data
    })
    const made = await mfa.webauthn.challenge({ factorId: added.id, friendlyName: name, webauthn: here() })
    const proved = made.data
      ? await mfa.webauthn.verify({ ...made.data, webauthn: { ...made.data.webauthn, ...here() } })
      : made
    if (!proved.error) return
    dropFactor(added.id)
    throw proved.error
  },
})

const here = () => ({ rpId: location.hostname, rpOrigins: [location.origin] })

/** The token that goes with the session says from then on what is still proved. */
export const removeFactor = (userId: string): Action<Factor> => ({
  invalidates: [factorsKey(userId)],
  run: async ({ id }) => {
    await withFreshSignIn(async () => {
      const { error } = await supabase.auth.mfa.unenroll({ factorId: id })
      if (error) throw error
    })
    await supabase.auth.refreshSession()
  },
})

/** Takes back what was begun. The service forgets it by itself after a while, so nobody waits for this. */
export const dropFactor = (id: string) => void supabase.auth.mfa.unenroll({ factorId: id })

/** Resolves to ten new codes; older ones count no more. */
export const makeRecoveryCodes = (userId: string): Action<void, string[]> => ({
  invalidates: [factorsKey(userId)],
  run: () => withFreshSignIn(async () => (await supabase.rpc('make_recovery_codes').throwOnError()).data),
})

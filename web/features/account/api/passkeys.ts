// The passkeys of an account: what the Security tab shows of them, and what people change.
import { queryOptions } from '@tanstack/react-query'
import { withFreshSignIn } from '../../../lib/freshSignIn.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

export type Passkey = { id: string; name: string; createdAt: string; lastUsedAt: string | null }

const passkeysKey = (userId: string) => ['passkeys', userId] as const

export const passkeysQuery = (userId: string) =>
  queryOptions({
    queryKey: passkeysKey(userId),
    queryFn: async (): Promise<Passkey[]> => {
      const { data, error } = await supabase.auth.passkey.list()
      if (error) throw error
      return data.map(({ id, friendly_name, created_at, last_used_at }) => ({
        id,
        name: friendly_name ?? '',
        createdAt: created_at,
        lastUsedAt: last_used_at ?? null,
      }))
    },
  })

/** The browser asks where it is to be kept. It has a name at once, so that it is known again. */
export const addPasskey = (userId: string): Action<{ name: string }> => ({
  invalidates: [passkeysKey(userId)],
  run: async ({ name }) => {
    const data = await withFreshSignIn(async () => {
      const { data, error } = await supabase.auth.registerPasskey()
      if (error) throw error
      return data
    })
    await supabase.auth.passkey.update({ passkeyId: data.id, friendlyName: name })
  },
})

export const renamePasskey = (userId: string): Action<{ id: string; name: string }> => ({
  invalidates: [passkeysKey(userId)],
  run: async ({ id, name }) => {
    const { error } = await supabase.auth.passkey.update({ passkeyId: id, friendlyName: name })
    if (error) throw error
  },
})

export const removePasskey = (userId: string): Action<Passkey> => ({
  invalidates: [passkeysKey(userId)],
  run: ({ id }) =>
    withFreshSignIn(async () => {
      const { error } = await supabase.auth.passkey.delete({ passkeyId: id })
      if (error) throw error
    }),
})

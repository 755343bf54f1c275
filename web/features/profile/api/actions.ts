// Saving one's own profile (specification 001 §7).
import { toDollars } from '../../../../shared/money.ts'
import { profileKey } from '../../../lib/queries/profile.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import type { BasicInfo, Settings } from '../schema.ts'

const invalidates = (userId: string) => [
  ['publicProfile'],
  ['taskers'],
  ['tasks'],
  ['bookings'],
  profileKey(userId),
]

/** Saves the part of one's profile that a form holds; the other parts stay as they are. */
export const saveBasicInfo = (userId: string): Action<BasicInfo> => ({
  invalidates: invalidates(userId),
  run: (info) => update(userId, { ...info, last_active: new Date().toISOString() }),
})

export const saveSettings = (userId: string): Action<Settings> => ({
  invalidates: invalidates(userId),
  run: ({ hourly_rate, ...settings }) =>
    update(userId, {
      ...settings,
      hourly_rate: hourly_rate === null ? null : toDollars(hourly_rate),
      updated_at: new Date().toISOString(),
    }),
})

async function update(userId: string, changes: Parameters<ReturnType<typeof profiles>['update']>[0]) {
  await profiles().update(changes).eq('id', userId).select('id').single().throwOnError()
}

const profiles = () => supabase.from('profiles')

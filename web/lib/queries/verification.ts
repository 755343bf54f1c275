// The state of a tasker's verification, which the menus and the dashboard show; the wizard reads the whole record.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useLive } from '../live.ts'
import { useHolds, useSession } from '../session.tsx'
import { supabase } from '../supabase.ts'
import { useMyProfile } from './profile.ts'

export type VerificationState = 'none' | 'pending' | 'verified' | 'rejected'

const verificationStateQuery = (userId: string | undefined) =>
  queryOptions({
    queryKey: ['verification', userId, 'state'],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('verifications')
        .select('verification_status,refusal_reason')
        .eq('user_id', userId ?? '')
        .abortSignal(signal)
        .maybeSingle()
        .throwOnError()
      return data
    },
  })

/** A tasker's own state, with an admin's reason when it is 'rejected'; undefined for others and until it is known. */
export function useVerification(): { state: VerificationState; reason: string | null } | undefined {
  const userId = useSession().user?.id
  const asks = useHolds('task_doer') && userId !== undefined
  const record = useQuery({ ...verificationStateQuery(userId), enabled: asks })
  const profile = useMyProfile()
  // A decision comes with a notification.
  useLive([
    asks
      ? {
          table: 'notifications',
          rows: `user_id=eq.${userId}`,
          refresh: [
            ['verification', userId],
            ['profile', userId],
          ],
        }
      : null,
  ])
  if (!asks || record.data === undefined) return undefined
  const byAdmin = profile.data?.is_verified ? 'verified' : 'none'
  return { state: record.data?.verification_status ?? byAdmin, reason: record.data?.refusal_reason ?? null }
}

/** Whether menus invite the person to get verified; once submitted or approved, they name the state instead. */
export const invitesToVerify = (verification: { state: VerificationState } | undefined) =>
  verification?.state !== 'pending' && verification?.state !== 'verified'

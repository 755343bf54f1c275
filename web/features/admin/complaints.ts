// Complaints that wait for an admin, and the decision of one (specification 000 §9); the database lets only admins
// decide, reckons what each side gets and tells both.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { Enums } from '../../lib/database.types.ts'
import { useMutationOnce } from '../../lib/queries/once.ts'
import { supabase } from '../../lib/supabase.ts'

/** A complaint with its booking's task, both people and the task's amount in dollars. */
const columns = `id, reason, answer, created_at, booking:bookings(task:tasks(id, title)),
  payment:payments(amount, total, payer:public_profiles!payer_id(full_name), payee:public_profiles!payee_id(full_name))` as const

const openComplaints = (signal: AbortSignal) =>
  supabase
    .from('complaints')
    .select(columns)
    .is('decision', null)
    .order('created_at')
    .abortSignal(signal)
    .throwOnError()

export type Complaint = Awaited<ReturnType<typeof openComplaints>>['data'][number]

/** What nobody has decided, who has waited longest first. */
export function useComplaints(allowed: boolean) {
  return useQuery({
    queryKey: ['admin', 'complaints'],
    enabled: allowed,
    queryFn: async ({ signal }) => (await openComplaints(signal)).data,
  })
}

/** Decides one; `returned` are the dollars of the task's amount that a split gives back. */
export function useDecideComplaint(complaintId: string, onDecided: () => void) {
  const queryClient = useQueryClient()
  return useMutationOnce({
    mutationFn: async ({ act, returned }: { act: Enums<'complaint_decision'>; returned: number }) => {
      await supabase
        .rpc('decide_complaint', {
          complaint_id: complaintId,
          decision: act,
          ...(act === 'split' && { returned_amount: returned }),
        })
        .throwOnError()
    },
    onSuccess: onDecided,
    // After a refusal, too: somebody else may have decided it.
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['admin'] }),
  })
}

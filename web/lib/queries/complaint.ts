// A complaint as both people of its booking read it, and the deadline of the tasker's answer.
import type { QueryData } from '@supabase/supabase-js'
import { addHours, isBefore } from 'date-fns'
import { limits } from '../../../shared/limits.ts'
import { supabase } from '../supabase.ts'
import { inCents } from './money.ts'

export const COMPLAINT_COLUMNS =
  'id,reason,photos,answer,answer_photos,answered_at,decision,returned_amount,decision_note,decided_at,created_at'

type ComplaintQuery = ReturnType<typeof selectComplaints>
const selectComplaints = () => supabase.from('complaints').select(COMPLAINT_COLUMNS)

type ComplaintRow = QueryData<ComplaintQuery>[number]
export type Complaint = ReturnType<typeof toComplaint>

/** `returned_amount` is what of the task's amount goes back; fees follow in proportion. */
export const toComplaint = (row: ComplaintRow) => inCents(row, 'returned_amount')

/** Until when the tasker is waited for, whether they answer or not, and whether that is still to come. */
export function answerDeadline({ created_at }: Pick<Complaint, 'created_at'>): {
  until: Date
  open: boolean
} {
  const until = addHours(created_at, limits.complaint.answerHours)
  return { until, open: isBefore(new Date(), until) }
}

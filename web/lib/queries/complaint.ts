// What the two people of a booking read of a complaint about it, and until when the tasker is waited for.
import { addHours, isBefore } from 'date-fns'
import { limits } from '../../../shared/limits.ts'
import type { Tables } from '../database.types.ts'
import type { Names } from './payment.ts'

export const complaintColumns =
  'id,reason,answer,answered_at,decision,returned_amount,decision_note,decided_at,created_at' as const

/** `returned_amount` are the dollars of the task's amount that go back; fees follow in proportion. */
export type Complaint = Pick<Tables<'complaints'>, Names<typeof complaintColumns>>

/** Until when the tasker is waited for, whether they answer or not, and whether that is still to come. */
export function answerDeadline({ created_at }: Pick<Complaint, 'created_at'>): {
  until: Date
  open: boolean
} {
  const until = addHours(created_at, limits.complaint.answerHours)
  return { until, open: isBefore(new Date(), until) }
}

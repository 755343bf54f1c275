// What the two people of a booking read of a complaint about it: the columns, and the row as they bring it.
import type { Tables } from '../database.types.ts'
import type { Names } from './payment.ts'

export const complaintColumns =
  'id,reason,answer,answered_at,decision,returned_amount,decision_note,decided_at,created_at' as const

/** `returned_amount` are the dollars of the task's amount that go back; fees follow in proportion. */
export type Complaint = Pick<Tables<'complaints'>, Names<typeof complaintColumns>>

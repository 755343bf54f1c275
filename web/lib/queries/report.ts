// Reporting something that should not be there; the database takes each thing once a person, and tells admins.
import type { Enums } from '../database.types.ts'
import { supabase } from '../supabase.ts'

export type ReportedKind = Enums<'reported_kind'>

/** Rejects with the database's words. */
export async function reportContent(kind: ReportedKind, subject: string, reason: string): Promise<void> {
  await supabase.rpc('report_content', { kind, subject, reason }).throwOnError()
}

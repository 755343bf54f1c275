// A transaction as a trace has it: as whom, and how long; no statement, whose text may hold what somebody sent.
import { inSpan } from '../observability/tracing/spans.ts'

/** Runs `work` in the span of a transaction; `role` is null for the platform itself. */
export function inTransactionSpan<T>(role: string | null, work: () => Promise<T>): Promise<T> {
  const attributes = { 'db.system.name': 'postgresql', 'meadowlark.role': role ?? 'owner' }
  return inSpan('transaction', { kind: 'client', attributes }, work)
}

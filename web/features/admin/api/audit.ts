// The audit log, newest first, narrowed to one kind of record, one actor or one person; the database lets only admins read it.
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query'
import { uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import { z } from '../../../lib/zod.ts'
import { countQuery } from './counts.ts'
import { PAGE_SIZE } from './people.ts'

export const TABLES = [
  'verifications',
  'complaints',
  'payments',
  'suspensions',
  'user_roles',
  'profiles',
  'tasks',
  'reports',
] as const

export type AuditFilter = {
  table?: (typeof TABLES)[number]
  /** The actor. */
  actor?: string
  /** Whom it is about. */
  person?: string
  adminsOnly: boolean
}

const people = z.array(z.object({ id: z.string(), name: z.string().nullable() })).nullable()
const columns = z.record(z.string(), z.unknown()).nullable()

const narrowed = ({ table, actor, person, adminsOnly }: AuditFilter) => ({
  ...(table && { about_table: table }),
  ...(actor && { actor }),
  ...(person && { person }),
  admins_only: adminsOnly,
})

export const auditCountQuery = (filter: AuditFilter) => countQuery('find_audit_entries', narrowed(filter))

async function findEntries(filter: AuditFilter, before: number | undefined, signal: AbortSignal) {
  const { data } = await supabase
    .rpc('find_audit_entries', {
      ...narrowed(filter),
      ...(before !== undefined && { before_id: before }),
      max_results: PAGE_SIZE,
    })
    .abortSignal(signal)
    .throwOnError()
  return data.map(({ old_values, new_values, subjects, ...row }) => ({
    ...row,
    before: columns.parse(old_values),
    after: columns.parse(new_values),
    subjects: people.parse(subjects) ?? [],
  }))
}
export type AuditEntry = Awaited<ReturnType<typeof findEntries>>[number]

export const auditQuery = (filter: AuditFilter) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'audit', filter],
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) => findEntries(filter, pageParam, signal),
    getNextPageParam: (last: AuditEntry[]) => (last.length < PAGE_SIZE ? undefined : last.at(-1)?.id),
    select: uniqueRows,
    placeholderData: keepPreviousData,
  })

// Reports and an admin's decision about them. The database hides and shows content, and notifies the people
// concerned.
import { infiniteQueryOptions } from '@tanstack/react-query'
import type { Enums } from '../../../lib/database.types.ts'
import { nextKey, uniqueRows } from '../../../lib/queries/pages.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { countQuery } from './counts.ts'
import { PAGE_SIZE } from './people.ts'

export type ReportStatus = Enums<'report_status'>
type Key = { created_at: string; id: string } | undefined

async function findReports(status: ReportStatus, after: Key, signal: AbortSignal) {
  const { data } = await supabase
    .rpc('find_reports', {
      wanted: status,
      max_results: PAGE_SIZE,
      ...(after && { after_at: after.created_at, after_id: after.id }),
    })
    .abortSignal(signal)
    .throwOnError()
  return data
}
export type Report = Awaited<ReturnType<typeof findReports>>[number]

/** Open ones the oldest first, the others the newest first. */
export const reportsQuery = (status: ReportStatus) =>
  infiniteQueryOptions({
    queryKey: ['admin', 'reports', status],
    initialPageParam: undefined as Key,
    queryFn: ({ pageParam, signal }) => findReports(status, pageParam, signal),
    getNextPageParam: (last: Report[]): Key => nextKey(PAGE_SIZE)(last),
    select: uniqueRows,
  })

export const reportCountQuery = (status: ReportStatus) => countQuery('find_reports', { wanted: status })

/** Hides what was reported, with the reason that its author reads; without one the report is dismissed. */
export const decideReport = (id: string): Action<{ reason: string } | null> => ({
  invalidates: [['admin']],
  invalidatesOnError: true,
  run: async (hiding) => {
    await supabase
      .rpc('decide_report', {
        report_id: id,
        hide: hiding !== null,
        ...(hiding && { note: hiding.reason }),
      })
      .throwOnError()
  },
})

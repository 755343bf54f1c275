// How the marketplace goes, week by week or month by month; the database counts and sums on the marketplace's calendar.
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { inCents } from '../../../lib/queries/money.ts'
import { supabase } from '../../../lib/supabase.ts'

export const PERIODS = ['week', 'month'] as const
export type Period = (typeof PERIODS)[number]
const SHOWN = 12

/** The last twelve weeks or months, the running one last. `verification_hours` is null where none was decided. */
export const figuresQuery = (period: Period) =>
  queryOptions({
    queryKey: ['admin', 'figures', period],
    placeholderData: keepPreviousData,
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .rpc('admin_figures', { period, periods: SHOWN })
        .abortSignal(signal)
        .throwOnError()
      return data.map((row) => ({
        ...inCents(row, 'held', 'released', 'fees'),
        period,
        // The types of a function's columns know no null.
        verification_hours: row.verification_hours === null ? null : Number(row.verification_hours),
      }))
    },
  })

// A tasker's earnings: a statement for each settled job, payouts to the bank, sums by month.
import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { fromDollars } from '../../../../shared/money.ts'
import { instantFromLocal } from '../../../lib/format.ts'
import { inCents } from '../../../lib/queries/money.ts'
import { supabase } from '../../../lib/supabase.ts'

const PAGE = 10
/** The Data API's maximum number of rows in an answer. */
const CHUNK = 1000

const selectStatements = () =>
  supabase
    .from('receipts')
    .select(
      `id, kind, number, issued_at, task_title, amount, platform_fee, gst, total,
      payment:payments!inner(payout_amount, payout_status, open_disputes, unsettled_loss,
        failures:payment_failures(step, code, given_up))`,
    )
    .eq('kind', 'statement')

export type Statement = Awaited<ReturnType<typeof readStatements>>[number]

async function readStatements(userId: string, from: number, signal: AbortSignal) {
  const { data } = await selectStatements()
    .eq('person_id', userId)
    .order('issued_at', { ascending: false })
    .order('id')
    .range(from, from + PAGE - 1)
    .abortSignal(signal)
    .throwOnError()
  return data.map(({ payment, ...row }) => ({
    ...inCents(row, 'amount', 'platform_fee', 'gst', 'total'),
    payment: inCents(payment, 'payout_amount', 'unsettled_loss'),
  }))
}

/** A person's own statements, newest first, ten at a time. */
export const statementsQuery = (userId: string) =>
  infiniteQueryOptions({
    queryKey: ['payouts', 'statements', userId],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => readStatements(userId, pageParam, signal),
    getNextPageParam: (last, pages) => (last.length < PAGE ? undefined : pages.length * PAGE),
  })

/** Every statement of a year on the marketplace's calendar, oldest first; amounts in dollars. */
export async function statementsOfYear(userId: string, year: number) {
  const [from, until] = [year, year + 1].map((each) => instantFromLocal(`${each}-01-01T00:00`) ?? '')
  const all = []
  for (;;) {
    const { data } = await selectStatements()
      .eq('person_id', userId)
      .gte('issued_at', from)
      .lt('issued_at', until)
      .order('issued_at')
      .order('id')
      .range(all.length, all.length + CHUNK - 1)
      .throwOnError()
    all.push(...data)
    if (data.length < CHUNK) return all
  }
}

/** The newest payouts to the bank. */
export const depositsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['payouts', 'deposits', userId],
    queryFn: async ({ signal }) => {
      const { data } = await supabase
        .from('payouts')
        .select('id, amount, status, arrival_date, bank_last4, failure_code, created_at')
        .eq('user_id', userId)
        .order('created_at', { ascending: false })
        .limit(PAGE)
        .abortSignal(signal)
        .throwOnError()
      return data.map((row) => inCents(row, 'amount'))
    },
  })

export type Month = { month: string; amount: ReturnType<typeof fromDollars>; payouts: number }

/** The months that have earnings, in cents, oldest first; `month` is its first day. */
export const earningsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['payouts', 'earnings', userId],
    queryFn: async ({ signal }): Promise<Month[]> => {
      const { data } = await supabase.rpc('my_earnings_by_month').abortSignal(signal).throwOnError()
      return data.map(({ month, amount, payouts }) => ({ month, payouts, amount: fromDollars(amount) }))
    },
  })

// The figures of the marketing pages: the operator's claims, or what the database has counted, as marketplace.config.ts says.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { claims, figures } from '../../../marketplace.config.ts'
import { fromDollars } from '../../../shared/money.ts'
import { loadClient } from '../client.ts'
import { formatMoney, formatNumber, formatRating } from '../format.ts'

/** Rounded down by the database; null of what fewer than ten people are behind. Earnings in dollars. */
export type Counted = {
  active_users: number | null
  tasks_completed: number | null
  active_taskers: number | null
  monthly_earnings: number | null
  rating: number | null
}

/** Each as it is read; null where there is nothing to show. */
export type MarketingFigures = Record<
  'activeUsers' | 'tasksCompleted' | 'monthlyEarnings' | 'activeTaskers' | 'rating',
  string | null
>

const countedFiguresQuery = queryOptions({
  queryKey: ['marketing-figures'],
  enabled: figures === 'counted',
  staleTime: Number.POSITIVE_INFINITY,
  queryFn: async ({ signal }): Promise<Counted | null> => {
    const client = await loadClient()
    const { data } = await client.rpc('public_figures').abortSignal(signal).throwOnError()
    return data[0] ?? null
  },
})

const atLeast = (value: number | null, write: (value: number) => string) =>
  value === null ? null : `${write(value)}+`

const money = (dollars: number) => formatMoney(fromDollars(dollars))

export const claimedFigures = (): MarketingFigures => ({
  activeUsers: claims.activeUsers,
  tasksCompleted: claims.tasksCompleted,
  monthlyEarnings: atLeast(claims.monthlyEarnings, money),
  activeTaskers: atLeast(claims.activeTaskers, formatNumber),
  rating: `${formatRating(claims.rating)}/5`,
})

export const countedFigures = (counted: Counted | null): MarketingFigures => ({
  activeUsers: atLeast(counted?.active_users ?? null, formatNumber),
  tasksCompleted: atLeast(counted?.tasks_completed ?? null, formatNumber),
  monthlyEarnings: atLeast(counted?.monthly_earnings ?? null, money),
  activeTaskers: atLeast(counted?.active_taskers ?? null, formatNumber),
  rating: counted?.rating == null ? null : `${formatRating(counted.rating)}/5`,
})

/** Counted ones are blank while they load, so that nothing moves when they come. */
const BLANK = '\u00a0'
const LOADING: MarketingFigures = {
  activeUsers: BLANK,
  tasksCompleted: BLANK,
  monthlyEarnings: BLANK,
  activeTaskers: BLANK,
  rating: BLANK,
}

export function useMarketingFigures(): MarketingFigures {
  const counted = useQuery(countedFiguresQuery)
  if (figures === 'claimed') return claimedFigures()
  return counted.isPending ? LOADING : countedFigures(counted.data ?? null)
}

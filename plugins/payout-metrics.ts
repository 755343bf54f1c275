// The money that waits, for the operators of the marketplace: payouts that could not be made yet, or that failed.
import type { Measurement } from '@meadowlark/server/observability/metrics/measurements.ts'
import type { Plugin } from '@meadowlark/server/plugin.ts'

type Waiting = { status: string; count: number; cents: number; seconds: number }

const gauge = (name: string, help: string, of: (waiting: Waiting) => number): Measurement => ({
  name,
  help,
  labelNames: ['status'],
  async read(database) {
    const { rows } = await database.query<Waiting>(
      `select status, count(id)::int as count, coalesce(sum(payout_amount) * 100, 0)::float8 as cents,
         coalesce(extract(epoch from now() - min(released_at)), 0)::float8 as seconds
       from unnest('{waiting,failed}'::public.transfer_status[]) status left join public.payments on payout_status = status
       group by status`,
    )
    return rows.map((waiting) => ({ labels: { status: waiting.status }, value: of(waiting) }))
  },
})

export const payoutMetrics: Plugin = {
  name: 'payout-metrics',
  measurements: [
    gauge('payouts_pending', 'Payouts that wait or have failed', ({ count }) => count),
    gauge('payouts_pending_cents', 'Cents of payouts that wait or have failed', ({ cents }) => cents),
    gauge(
      'payouts_pending_seconds',
      'How long the oldest of them has been released',
      ({ seconds }) => seconds,
    ),
  ],
}

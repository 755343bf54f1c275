// How long requests took, as a Prometheus histogram. prom-client's own looks its labels up anew for every observation,
// which took longer than anything else that is done for a request here; this one only adds, and is read when scraped.
import type { Metric, Registry } from 'prom-client'

type Labels = { service: string; method: string; status: number }

type Series = { labels: Labels; buckets: number[]; sum: number; count: number }

const NAME = 'http_request_duration_seconds'
const HELP = 'Time from a request to its answer, by service, method and status'
const UPPER = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export interface Durations {
  /** `service` and `method` are of a fixed set: every new one is kept for ever. */
  observe(service: string, method: string, status: number, seconds: number): void
}

/** Registers the histogram. */
export function measureDurations(registry: Registry): Durations {
  const all: Series[] = []
  let latest: Series | undefined
  const metric = {
    name: NAME,
    get: async () => ({
      name: NAME,
      help: HELP,
      type: 'histogram',
      aggregator: 'sum',
      values: all.flatMap(values),
    }),
  }
  registry.registerMetric(metric as unknown as Metric)
  return {
    observe(service, method, status, seconds) {
      const isWanted = ({ labels }: Series) =>
        labels.status === status && labels.method === method && labels.service === service
      // Most are like the one before, and there are a few dozen at most.
      let series = latest && isWanted(latest) ? latest : all.find(isWanted)
      if (!series) {
        series = { labels: { service, method, status }, buckets: UPPER.map(() => 0), sum: 0, count: 0 }
        all.push(series)
      }
      latest = series
      series.sum += seconds
      series.count++
      for (let at = 0; at < UPPER.length; at++) {
        if (seconds > (UPPER[at] as number)) continue
        series.buckets[at] = (series.buckets[at] as number) + 1
        return
      }
    },
  }
}

/** As Prometheus has them: each bucket counts those below it too. */
function values({ labels, buckets, sum, count }: Series) {
  let below = 0
  return [
    ...buckets.map((own, at) => {
      below += own
      return { metricName: `${NAME}_bucket`, labels: { le: UPPER[at], ...labels }, value: below }
    }),
    { metricName: `${NAME}_bucket`, labels: { le: '+Inf', ...labels }, value: count },
    { metricName: `${NAME}_sum`, labels, value: sum },
    { metricName: `${NAME}_count`, labels, value: count },
  ]
}

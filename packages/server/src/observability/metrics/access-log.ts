// The access log: a line for each request that was answered, without personal data. Paths are written as the routes
// define them, without ids and without the query.
import type pino from 'pino'
import type { Metrics, ObservedRequest } from './metrics.ts'

/** Counts each request, and writes it to `log` where there is one. */
export function observing(
  metrics: Pick<Metrics, 'observe'>,
  log: pino.Logger | null,
): (request: ObservedRequest) => void {
  if (!log) return metrics.observe
  return (request) => {
    metrics.observe(request)
    const { id, service, method, route, status, seconds } = request
    const line = { request: id, service, method, route, status, ms: Math.round(seconds * 1000) }
    log.info(line, 'a request was answered')
  }
}

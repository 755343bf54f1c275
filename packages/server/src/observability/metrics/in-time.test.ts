// Metrics are answered while the database does not respond: before Prometheus, which reads every five seconds, gives
// up.
import { Registry } from 'prom-client'
import { expect, onTestFinished, test, vi } from 'vitest'
import { measureBackground } from './background.ts'
import { DATABASE_TIMEOUT_MS } from './in-time.ts'
import { addMeasurements } from './measurements.ts'

const SCRAPE_TIMEOUT_MS = 5000

test('a database that hangs leaves its own figures out, and is reported as down', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const registry = new Registry()
  const silent = { query: () => new Promise<never>(() => {}) }
  measureBackground(registry, silent as never, null)
  const money = { name: 'money_waits', help: 'Money', labelNames: [], read: async () => silent.query() }
  addMeasurements(registry, [money], silent as never)
  const reading = registry.metrics()
  await vi.advanceTimersByTimeAsync(DATABASE_TIMEOUT_MS)
  expect(DATABASE_TIMEOUT_MS).toBeLessThan(SCRAPE_TIMEOUT_MS / 2)
  expect(await reading).toContain('postgres_up 0')
})

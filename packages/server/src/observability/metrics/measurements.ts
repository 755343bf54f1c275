// Gauges of plugins, read from the database when metrics are requested.
import type pg from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { inTime } from './in-time.ts'

/** A gauge of a plugin. */
export interface Measurement {
  /** Prometheus' name, with its unit at the end. */
  name: string
  help: string
  labelNames: string[]
  /** Its values now. An exception, or no result within two seconds, leaves the gauge empty. */
  read(database: Pick<pg.Pool, 'query'>): Promise<{ labels: Record<string, string>; value: number }[]>
}

export function addMeasurements(
  registry: Registry,
  measurements: readonly Measurement[],
  database: Pick<pg.Pool, 'query'>,
): void {
  for (const { name, help, labelNames, read } of measurements) {
    new Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        this.reset()
        for (const { labels, value } of await inTime(read(database)).catch(() => [])) this.set(labels, value)
      },
    })
  }
}

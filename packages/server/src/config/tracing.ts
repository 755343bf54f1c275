// Where traces go: OpenTelemetry's own variables, of which these decide whether there are any. The libraries read the others
// (the collector's headers, the sampler, resource attributes, batches) by themselves.
import type { EnvironmentVariables } from './environment.ts'

export interface Tracing {
  /** Headers for the collector; no log may show them. */
  secrets: string[]
}

/** Null where no collector is named, or traces are switched off. */
export function tracingOf(variables: EnvironmentVariables): Tracing | null {
  const named = variables.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? variables.OTEL_EXPORTER_OTLP_ENDPOINT
  if (!named || variables.OTEL_SDK_DISABLED === 'true' || variables.OTEL_TRACES_EXPORTER === 'none')
    return null
  const headers = [variables.OTEL_EXPORTER_OTLP_HEADERS, variables.OTEL_EXPORTER_OTLP_TRACES_HEADERS].join(
    ',',
  )
  // As in baggage: name=value, percent-encoded, by commas.
  const values = headers.split(',').map((header) => header.replace(/^[^=]*=/, '').trim())
  return { secrets: values.flatMap((value) => [value, decoded(value)]) }
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}

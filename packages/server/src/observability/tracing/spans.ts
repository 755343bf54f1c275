// Spans of the server's parts for OpenTelemetry. Without a collector (opentelemetry.ts) they only run the work, at no
// cost. Others may store spans. They contain names of routes, roles and operations, sizes and states; never an
// address, a row's id, a sent value, or a message of PostgreSQL's, which repeats rows.

type SpanAttributes = Record<string, string | number | boolean>

export interface SpanOptions {
  /** The other end: a client that waits for this server, a server that it waits for, or a queue; none by default. */
  kind?: 'server' | 'client' | 'consumer'
  attributes?: SpanAttributes
  /** The headers of the request that it answers, whose `traceparent` says what it is a part of; else what runs now is. */
  from?: Record<string, string | string[] | undefined>
}

export interface ActiveSpan {
  rename(name: string): void
  add(attributes: SpanAttributes): void
  /** `type` is a code or a class, never a message. */
  fail(type: string): void
}

export interface Tracer {
  /** Runs `work` in a span that ends when it settles, as a failed one where it rejects. */
  run<T>(name: string, options: SpanOptions, work: (span: ActiveSpan) => Promise<T>): Promise<T>
  /** The headers by which another server's spans become parts of the one that runs now. */
  headers(): Record<string, string>
}

let tracer: Tracer | null = null

/** Sets the receiver of spans; null for none. */
export function setTracer(collecting: Tracer | null): void {
  tracer = collecting
}

const UNTOLD: ActiveSpan = { rename: () => {}, add: () => {}, fail: () => {} }

/** Runs `work` in a span, if there is a receiver of spans. */
export function inSpan<T>(
  name: string,
  options: SpanOptions,
  work: (span: ActiveSpan) => Promise<T>,
): Promise<T> {
  return tracer ? tracer.run(name, options, work) : work(UNTOLD)
}

/** `traceparent` and `tracestate` for a request that is passed on; empty without a receiver of spans. */
export function traceHeaders(): Record<string, string> {
  return tracer ? tracer.headers() : {}
}

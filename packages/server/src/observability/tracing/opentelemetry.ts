// Spans for a collector, by OTLP over HTTP. The libraries are loaded only where a collector is named. They read what else can be
// set from the process's environment by themselves: the collector's headers, the sampler, resource attributes, batches
// (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
import type { Span, TracerProvider } from '@opentelemetry/api'
import type pino from 'pino'
import { type ActiveSpan, setTracer, type Tracer } from './spans.ts'

type Api = typeof import('@opentelemetry/api')

/** Shortest interval between warnings about an unreachable collector, in milliseconds. */
const COMPLAINT_INTERVAL_MS = 60_000

/** Begins to send spans. `stop` sends what is left, and is done within the exporter's time limit. */
export async function startTracing(log: pino.Logger): Promise<{ stop(): Promise<void> }> {
  const [api, { W3CTraceContextPropagator }, { OTLPTraceExporter }, resources, sdk] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/core'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace-node'),
  ])
  const { context, DiagLogLevel, diag, propagation, trace } = api
  diag.setLogger(complaints(log), { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true })
  const named = resources.detectResources({ detectors: [resources.envDetector] })
  const provider = new sdk.NodeTracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'meadowlark' }).merge(named),
    spanProcessors: [new sdk.BatchSpanProcessor(new OTLPTraceExporter())],
  })
  // Baggage is whatever a stranger puts in it: it is neither read nor passed on.
  provider.register({ propagator: new W3CTraceContextPropagator() })
  setTracer(tracerOf(api, provider))
  return {
    async stop() {
      setTracer(null)
      await provider.shutdown().catch((error) => log.warn({ err: error }, 'the last traces were not sent'))
      for (const part of [trace, context, propagation, diag]) part.disable()
    },
  }
}

function tracerOf({ context, propagation, SpanKind, SpanStatusCode }: Api, provider: TracerProvider): Tracer {
  const tracer = provider.getTracer('meadowlark')
  const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER }

  const activeSpan = (span: Span): ActiveSpan => ({
    rename: (name) => void span.updateName(name),
    add: (attributes) => void span.setAttributes(attributes),
    fail: (type) =>
      void span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR, message: type }),
  })

  return {
    run(name, { kind, attributes = {}, from }, work) {
      const parent = from ? propagation.extract(context.active(), from) : context.active()
      const options = { kind: kind ? kinds[kind] : SpanKind.INTERNAL, attributes }
      return tracer.startActiveSpan(name, options, parent, async (span) => {
        const active = activeSpan(span)
        try {
          return await work(active)
        } catch (error) {
          active.fail(typeOf(error))
          throw error
        } finally {
          span.end()
        }
      })
    },
    headers() {
      const headers: Record<string, string> = {}
      propagation.inject(context.active(), headers)
      return headers
    },
  }
}

/** A code (SQLSTATE, or Node.js's) or the class; messages repeat what was sent. */
function typeOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown }
  return typeof code === 'string' && /^\w{1,40}$/.test(code) ? code : String(name ?? 'unknown')
}

function complaints(log: pino.Logger) {
  let last = Number.NEGATIVE_INFINITY
  const complain = (message: string) => {
    if (performance.now() - last < COMPLAINT_INTERVAL_MS) return
    last = performance.now()
    log.warn({ opentelemetry: message.slice(0, 300) }, 'traces cannot be sent')
  }
  const nothing = () => {}
  return { error: complain, warn: complain, info: nothing, debug: nothing, verbose: nothing }
}

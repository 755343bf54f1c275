// Spans of calls to the file store, without the names of buckets and objects.
import { inSpan } from '../../observability/tracing/spans.ts'
import type { Backend } from './backend.ts'

/** The same backend, each of whose operations is a span; of a download, until its first bytes can be read. */
export function inSpans(place: 's3' | 'disk', backend: Backend): Backend {
  const attributes = { 'meadowlark.storage': place }
  const traced =
    <Given extends unknown[], Result>(name: string, operation: (...given: Given) => Promise<Result>) =>
    (...given: Given) =>
      inSpan(`storage ${name}`, { kind: 'client', attributes }, () => operation(...given))
  const { parts } = backend
  return {
    ...backend,
    put: traced('put', backend.put.bind(backend)),
    get: traced('get', backend.get.bind(backend)),
    copy: traced('copy', backend.copy.bind(backend)),
    remove: traced('remove', backend.remove.bind(backend)),
    parts: {
      append: traced('append', parts.append.bind(parts)),
      finish: traced('finish', parts.finish.bind(parts)),
      abandon: traced('abandon', parts.abandon.bind(parts)),
    },
  }
}

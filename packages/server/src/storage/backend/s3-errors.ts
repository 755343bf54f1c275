// Maps errors of S3 to NoSpace (quota or disk full) and Unreachable (away, overloaded, or closed to these keys); others stay
// as they are.
import type { S3Client } from '@aws-sdk/client-s3'
import { NoSpace, Unreachable } from './backend.ts'
import type { OutageLog } from './s3-outage.ts'

/** As servers of several makers name it. */
const FULL =
  /^(QuotaExceeded|XMinioStorageFull|XMinioAdminBucketQuotaExceeded|InsufficientStorage|InsufficientCapacity)$/

/** Of Node's network and of the SDK's own deadlines. */
const AWAY =
  /^(ECONN|EHOST|ENET|ENOTFOUND|EPIPE|EAI_AGAIN|ETIMEDOUT|TimeoutError|NetworkingError|RequestTimeout|SlowDown|ServiceUnavailable|InternalError)/

/** The keys were revoked, or the bucket was removed or moved: waiting helps as little as the caller can. */
const CLOSED =
  /^(AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|ExpiredToken|NoSuchBucket|PermanentRedirect)$/

type Failure = { name?: string; code?: string; $metadata?: { httpStatusCode?: number } }

/** NoSpace or Unreachable, or the same error. */
function toBackendError(error: unknown): unknown {
  const { name = '', code = '', $metadata } = error as Failure
  const status = $metadata?.httpStatusCode ?? 0
  if (status === 507 || FULL.test(name)) return new NoSpace(error)
  const isClosed = status === 401 || status === 403 || CLOSED.test(name)
  if (isClosed || status >= 500 || status === 429 || AWAY.test(name) || AWAY.test(code))
    return new Unreachable(error)
  return error
}

/** Maps the errors of every request of the client, after the SDK's retries, and has the outage log name them. */
export function mapErrors(client: S3Client, outage: OutageLog | null): void {
  client.middlewareStack.add(
    (next) => async (given) => {
      try {
        const result = await next(given)
        outage?.answered()
        return result
      } catch (error) {
        const mapped = toBackendError(error)
        if (mapped instanceof Unreachable) outage?.failed(error)
        throw mapped
      }
    },
    { step: 'initialize', priority: 'high', name: 'backendErrors' },
  )
}

// Maps errors of S3 to NoSpace (quota or disk full) and Unreachable (away or overloaded); others stay as they are.
import type { S3Client } from '@aws-sdk/client-s3'
import { NoSpace, Unreachable } from './backend.ts'

/** As servers of several makers name it. */
const FULL =
  /^(QuotaExceeded|XMinioStorageFull|XMinioAdminBucketQuotaExceeded|InsufficientStorage|InsufficientCapacity)$/

/** Of Node's network and of the SDK's own deadlines. */
const AWAY =
  /^(ECONN|EHOST|ENET|ENOTFOUND|EPIPE|EAI_AGAIN|ETIMEDOUT|TimeoutError|NetworkingError|RequestTimeout|SlowDown|ServiceUnavailable|InternalError)/

type Failure = { name?: string; code?: string; $metadata?: { httpStatusCode?: number } }

/** NoSpace or Unreachable, or the same error. */
function toBackendError(error: unknown): unknown {
  const { name = '', code = '', $metadata } = error as Failure
  const status = $metadata?.httpStatusCode ?? 0
  if (status === 507 || FULL.test(name)) return new NoSpace(error)
  if (status >= 500 || status === 429 || AWAY.test(name) || AWAY.test(code)) return new Unreachable(error)
  return error
}

/** Maps the errors of every request of the client, after the SDK's retries. */
export function mapErrors(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (given) => {
      try {
        return await next(given)
      } catch (error) {
        throw toBackendError(error)
      }
    },
    { step: 'initialize', priority: 'high', name: 'backendErrors' },
  )
}

// What S3's refusals mean: that there is no room, or that S3 is away or too busy, told apart from what is our fault.
import type { S3Client } from '@aws-sdk/client-s3'
import { NoSpace, Unreachable } from './backend.ts'

/** As servers of several makers name it. */
const FULL =
  /^(QuotaExceeded|XMinioStorageFull|XMinioAdminBucketQuotaExceeded|InsufficientStorage|InsufficientCapacity)$/

/** Of Node's network and of the SDK's own deadlines. */
const AWAY =
  /^(ECONN|EHOST|ENET|ENOTFOUND|EPIPE|EAI_AGAIN|ETIMEDOUT|TimeoutError|NetworkingError|RequestTimeout|SlowDown|ServiceUnavailable|InternalError)/

type Failure = { name?: string; code?: string; $metadata?: { httpStatusCode?: number } }

/** The same error, or what it means. */
export function meaningOf(error: unknown): unknown {
  const { name = '', code = '', $metadata } = error as Failure
  const status = $metadata?.httpStatusCode ?? 0
  if (status === 507 || FULL.test(name)) return new NoSpace(error)
  if (status >= 500 || status === 429 || AWAY.test(name) || AWAY.test(code)) return new Unreachable(error)
  return error
}

/** Has every request of the client fail with what its error means, once the SDK has given up trying again. */
export function tellMeanings(client: S3Client): void {
  client.middlewareStack.add(
    (next) => async (given) => {
      try {
        return await next(given)
      } catch (error) {
        throw meaningOf(error)
      }
    },
    { step: 'initialize', priority: 'high', name: 'meaningOfErrors' },
  )
}

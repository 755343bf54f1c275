// Reads what a request to storage addresses: bucket and object from its path, the caller, the operation for policies.
import type { Caller } from '../http/authenticator.ts'
import type { RequestContext } from '../http/request-context.ts'
import { TokenError } from '../keys/keys.ts'
import { invalidKey } from './errors.ts'
import { requireBucketName, requireKey } from './names.ts'
import type { CallerContext } from './transaction.ts'

export interface ObjectName {
  bucket: string
  name: string
}

/** The object that the path names after `prefix`, such as '/object/public/'. Throws for invalid names. */
export function objectOf(request: RequestContext, prefix: string): ObjectName {
  const [bucket, ...rest] = restOfPath(request, prefix).split('/')
  const target = { bucket: bucket as string, name: rest.join('/') }
  requireBucketName(target.bucket)
  requireKey(target.name)
  return target
}

/** The bucket that the path names after `prefix`. */
export function bucketOf(request: RequestContext, prefix: string, suffix = ''): string {
  const bucket = restOfPath(request, prefix).slice(0, suffix ? -suffix.length : undefined)
  requireBucketName(bucket)
  return bucket
}

/** The path after `prefix`, percent-decoded once. */
function restOfPath({ path }: RequestContext, prefix: string): string {
  if (!path.startsWith(prefix)) throw invalidKey(`/storage/v1${path}`)
  const rest = path.slice(prefix.length)
  try {
    return decodeURIComponent(rest)
  } catch {
    throw invalidKey(rest)
  }
}

/** The caller where none is required: null without a key or with a bad token. */
export function callerOrNull({ headers, query, callerOrError }: RequestContext): Caller | null {
  const brought = headers.authorization || headers.apikey || query.get('apikey')
  return brought && !(callerOrError instanceof TokenError) ? callerOrError : null
}

/** The request as policies see it; `caller` is null for the service itself. */
export function contextOf<C extends Caller | null>(
  request: RequestContext,
  caller: C,
  operation: string,
): CallerContext & { caller: C } {
  const { method, path, headers } = request
  return {
    caller,
    operation: `storage.${operation}`,
    request: { method, path: `/storage/v1${decoded(path)}`, headers },
  }
}

/** The subject of a caller's token, who owns what they upload. */
export function subjectOf({ claims }: Caller): string | null {
  return typeof claims.sub === 'string' && claims.sub !== '' ? claims.sub : null
}

/** The query parameter `download`: undefined when it is absent. */
export function downloadOf({ query }: RequestContext): string | undefined {
  return query.get('download') ?? undefined
}

/** Whether an existing object may be replaced. */
export function upsertOf({ headers }: RequestContext): boolean {
  return headers['x-upsert'] === 'true'
}

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}

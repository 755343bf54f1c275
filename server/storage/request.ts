// Reads what a request to storage addresses: bucket and object from its path, the caller, the operation for policies.
import type { Context } from 'hono'
import { type Caller, callerOf } from '../gateway.ts'
import { TokenError } from '../keys.ts'
import { accessDenied, invalidKey, invalidShape } from './errors.ts'
import { requireBucketName, requireKey } from './names.ts'
import { tokenMessage } from './signed-urls/tokens.ts'
import type { RequestContext } from './transaction.ts'

export interface ObjectName {
  bucket: string
  name: string
}

/** The object that the path names after `prefix`, such as '/object/public/'. Throws for names that cannot be. */
export function objectOf(c: Context, prefix: string): ObjectName {
  const [bucket, ...rest] = restOfPath(c, prefix).split('/')
  const target = { bucket: bucket as string, name: rest.join('/') }
  requireBucketName(target.bucket)
  requireKey(target.name)
  return target
}

/** The bucket that the path names after `prefix`. */
export function bucketOf(c: Context, prefix: string, suffix = ''): string {
  const bucket = restOfPath(c, prefix).slice(0, suffix ? -suffix.length : undefined)
  requireBucketName(bucket)
  return bucket
}

/** The path after the service's mount and `prefix`, percent-decoded once, whatever frameworks made of it. */
function restOfPath(c: Context, prefix: string): string {
  const raw = /^[a-z]+:\/\/[^/?#]*([^?#]*)/i.exec(c.req.url)?.[1] ?? ''
  const start = raw.indexOf(prefix)
  if (start < 0) throw invalidKey(raw)
  try {
    return decodeURIComponent(raw.slice(start + prefix.length))
  } catch {
    throw invalidKey(raw.slice(start + prefix.length))
  }
}

/** The caller. Throws for a bad token, and for a request without any key. */
export function requireCaller(c: Context): Caller {
  if (!c.req.header('authorization') && !(c.req.header('apikey') ?? c.req.query('apikey'))) {
    throw invalidShape("headers must have required property 'authorization'")
  }
  try {
    return callerOf(c)
  } catch (error) {
    throw error instanceof TokenError ? accessDenied(tokenMessage(error)) : error
  }
}

/** The caller where none is required: null without a key or with a bad token. */
export function callerOrNobody(c: Context): Caller | null {
  try {
    return requireCaller(c)
  } catch {
    return null
  }
}

/** What policies see of this request; `caller` is null for the service itself. */
export function contextOf(c: Context, caller: Caller | null, operation: string): RequestContext {
  return {
    caller,
    operation: `storage.${operation}`,
    request: { method: c.req.method, path: c.req.path, headers: c.req.header() },
  }
}

/** The subject of a caller's token, who owns what they upload. */
export function subjectOf({ claims }: Caller): string | null {
  return typeof claims.sub === 'string' && claims.sub !== '' ? claims.sub : null
}

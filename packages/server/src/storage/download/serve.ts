// Answers a request for an object's content: whole, in part, or "you have it already", by RFC 9110.
import type { Readable } from 'node:stream'
import { type Answer, empty } from '../../http/answer.ts'
import type { RequestContext } from '../../http/request-context.ts'
import type { Backend, ByteRange, ObjectVersion } from '../backend/backend.ts'
import { failedCondition, rangeHolds, type Validators } from './conditions.ts'
import { dispositionHeaders, isHeaderText } from './disposition.ts'
import { multipart, requestedRanges } from './ranges.ts'

/** Something that can be sent. `name` is what it is saved as when the request does not say. */
export interface Representation extends Validators {
  name: string
  contentType: string
  /** In bytes. */
  size: number
  /** The value of the header, for example `max-age=3600`. */
  cacheControl: string
  /** The X-Robots-Tag header's value. */
  robots: string
  open(range?: ByteRange): Promise<Readable>
}

export type ServeRequest = Pick<RequestContext, 'method' | 'headers'>

export interface ServeOptions {
  /** The query parameter `download`: undefined when it is absent, '' to save under the object's own name. */
  download?: string | undefined
  /** When the address runs out: sent as Expires, and caches may keep nothing longer. */
  expires?: Date
  /** More headers of the answer. */
  headers?: Record<string, string>
}

/** A row of storage.objects, as far as its content goes. */
export interface ObjectRow {
  bucket_id: string
  name: string
  version: string | null
  metadata: Record<string, unknown> | null
  updated_at?: string | Date | null
}

/** The content of a row, to be read from the backend. */
export function representationOf(row: ObjectRow, backend: Backend): Representation {
  const place: ObjectVersion = { bucket: row.bucket_id, name: row.name, version: row.version ?? '' }
  const { mimetype, size, eTag, cacheControl, lastModified, xRobotsTag } = row.metadata ?? {}
  return {
    name: row.name,
    contentType: typeof mimetype === 'string' && mimetype !== '' ? mimetype : 'application/octet-stream',
    size: Number(size ?? 0),
    etag: typeof eTag === 'string' && eTag !== '' ? eTag : `"${place.version}"`,
    lastModified: date(lastModified) ?? date(row.updated_at) ?? new Date(0),
    cacheControl: headerOr(cacheControl, 'no-cache'),
    robots: headerOr(xRobotsTag, 'none'),
    open: async (range) => (await backend.get(place, range)).body,
  }
}

/**
 * Answers GET or HEAD. Rejects with Missing when the backend has no such file; a failure later on breaks the
 * connection, so that a client does not take a part for the whole.
 */
export async function serve(
  request: ServeRequest,
  content: Representation,
  { download, expires, headers: more = {} }: ServeOptions = {},
): Promise<Answer> {
  const headers: Record<string, string> = {
    'accept-ranges': 'bytes',
    etag: content.etag,
    'last-modified': content.lastModified.toUTCString(),
    ...(expires ? { expires: expires.toUTCString() } : { 'cache-control': content.cacheControl }),
    'x-robots-tag': content.robots,
    ...more,
  }
  const failed = failedCondition(request.headers, content)
  if (failed) return empty(failed, headers)
  Object.assign(headers, dispositionHeaders(content.contentType, content.name, download))

  const part = request.method === 'GET' && rangeHolds(request.headers, content)
  const ranges = part ? requestedRanges(request.headers.range, content.size) : 'whole'
  if (ranges === 'none') return empty(416, { ...headers, 'content-range': `bytes */${content.size}` })
  if (ranges === 'whole') {
    headers['content-length'] = String(content.size)
    return { status: 200, headers, body: request.method === 'HEAD' ? null : await content.open() }
  }
  const [range, ...others] = ranges as [ByteRange, ...ByteRange[]]
  if (others.length > 0) {
    const { contentType, length, body } = multipart(ranges, content)
    Object.assign(headers, { 'content-type': contentType, 'content-length': String(length) })
    return { status: 206, headers, body: body() }
  }
  headers['content-range'] = `bytes ${range.start}-${range.end}/${content.size}`
  headers['content-length'] = String(range.end - range.start + 1)
  return { status: 206, headers, body: await content.open(range) }
}

/** Rows may have been written by others, with texts in them that no header can carry. */
function headerOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' && isHeaderText(value) ? value : otherwise
}

function date(value: unknown): Date | null {
  const found = value instanceof Date ? value : typeof value === 'string' ? new Date(value) : null
  return found && !Number.isNaN(found.getTime()) ? found : null
}

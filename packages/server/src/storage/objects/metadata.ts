// The metadata of an object as headers, form fields and tus metadata give it: type, cache time, user metadata.

import type { Readable } from 'node:stream'
import { isHeaderText } from '../download/disposition.ts'
import { invalidRequest, mimeNotSupported, tooLarge } from '../errors.ts'

export interface Description {
  mimeType: string
  /** As the Cache-Control header has it. */
  cacheControl: string
  userMetadata: Record<string, unknown> | null
  /** The X-Robots-Tag header's value; empty to leave it out. */
  robots?: string | undefined
}

/** The body of an upload and its metadata. */
export interface IncomingUpload extends Description {
  body: Readable
  /** Content-Length in bytes, where the body is the object alone; null for a form and for a chunked body. */
  contentLength: number | null
  /** The final metadata, known once the body was read: fields of a form may follow its file. */
  final(): Promise<Description>
}

/** Maximum size of user metadata, as JSON. */
export const MAX_USER_METADATA_BYTES = 1024 * 1024

/** Metadata from form fields; `fileType` is the type of the file itself. Throws for texts that no header can carry. */
export function describe(fields: Record<string, string>, fileType: string): Description {
  const { cacheControl, contentType } = fields
  return {
    mimeType: requireMimeType(contentType || fileType),
    cacheControl: requireHeaderText('cacheControl', cacheControl ? `max-age=${cacheControl}` : 'no-cache'),
    userMetadata: plainMetadata(fields.metadata ?? fields.userMetadata),
  }
}

/** It will be sent as a header of downloads. */
export function requireMimeType(type: string): string {
  if (type.length > 1000 || !/^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+(\s*;[\t\x20-\x7e]*)?$/.test(type))
    throw mimeNotSupported(type)
  return type
}

export function requireHeaderText(name: string, value: string): string {
  if (!isHeaderText(value)) throw invalidRequest(`${name} must be at most 1000 characters of ASCII`)
  return value
}

/** Metadata in a header is JSON in base64. Unreadable metadata counts as none, as on Supabase. */
export function encodedMetadata(header: string | undefined): Record<string, unknown> | null {
  return header === undefined ? null : plainMetadata(Buffer.from(header, 'base64').toString('utf8'))
}

function plainMetadata(text: string | undefined): Record<string, unknown> | null {
  if (text === undefined) return null
  if (Buffer.byteLength(text, 'utf8') > MAX_USER_METADATA_BYTES) throw tooLarge('user_metadata')
  try {
    const value = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

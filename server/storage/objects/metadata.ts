// What is said of an object beside its bytes, as headers, fields of a form and metadata of a resumable upload say it.

import { isHeaderText } from '../download/disposition.ts'
import { invalidRequest, mimeNotSupported, tooLarge } from '../errors.ts'

export interface Description {
  mimeType: string
  /** As the Cache-Control header has it. */
  cacheControl: string
  userMetadata: Record<string, unknown> | null
  /** What search engines may do with it, as the X-Robots-Tag header has it; nothing, where it is left out. */
  robots?: string | undefined
}

/** The most bytes of a person's own metadata, as JSON. */
export const LARGEST_USER_METADATA = 1024 * 1024

/** What the fields of a form say; `fileType` is the type of its file. Throws for texts that no header can carry. */
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

/** Metadata in a header is JSON in base64. What cannot be read counts as none, as on Supabase. */
export function encodedMetadata(header: string | undefined): Record<string, unknown> | null {
  return header === undefined ? null : plainMetadata(Buffer.from(header, 'base64').toString('utf8'))
}

function plainMetadata(text: string | undefined): Record<string, unknown> | null {
  if (text === undefined) return null
  if (Buffer.byteLength(text, 'utf8') > LARGEST_USER_METADATA) throw tooLarge('user_metadata')
  try {
    const value = JSON.parse(text)
    return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : null
  } catch {
    return null
  }
}

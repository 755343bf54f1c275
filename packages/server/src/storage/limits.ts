// How large an object may be and of which type: the project's limit, the bucket's, and how both are written.
import { mimeNotSupported, StorageError, tooLarge } from './errors.ts'

/** The limits of a bucket, as its row has them. `file_size_limit` is bytes; null sets no limit for the bucket. */
export interface BucketLimits {
  file_size_limit: number | null
  allowed_mime_types: string[] | null
}

const UNITS: Record<string, number> = { b: 1, kb: 1e3, mb: 1e6, gb: 1e9 }

/** Bytes of a limit given as a number or as "20MB" (powers of 1000). Throws when it is unreadable or above `maxBytes`. */
export function readSizeLimit(given: number | string, maxBytes: number): number {
  const parts = /^(\d+(?:\.\d+)?)(gb|mb|kb|b)$/i.exec(String(given))
  if (typeof given === 'string' && !parts) {
    throw new StorageError(
      400,
      'InvalidRequest',
      'Invalid file size format, hint: use 20GB / 20MB / 30KB / 3B',
    )
  }
  const bytes =
    typeof given === 'number'
      ? given
      : Math.round(Number(parts?.[1]) * (UNITS[parts?.[2]?.toLowerCase() ?? ''] ?? 1))
  if (bytes > maxBytes) throw tooLarge()
  return bytes
}

/** Maximum size in bytes of an object in the bucket; `projectMaxBytes` is the project's own limit. */
export function maxObjectBytes(bucket: BucketLimits, projectMaxBytes: number): number {
  return Math.min(bucket.file_size_limit ?? projectMaxBytes, projectMaxBytes)
}

const MIME_PATTERN = /^([a-zA-Z0-9\-+.]+)\/(([a-zA-Z0-9\-+.]+)(;\s*charset=[a-zA-Z0-9-]+)?|\*)$/

/** Throws unless each is a media type, with or without its subtype: "image/png", "image/*", "*". */
export function requireMimePatterns(types: string[]): void {
  for (const type of types) {
    if (type.length > 1000 || !(MIME_PATTERN.test(type) || type === '*' || type === '*/*'))
      throw mimeNotSupported(type)
  }
}

/** Throws unless the bucket takes that type. Parameters, such as the charset, count only where the bucket names them. */
export function requireAllowedType(type: string, { allowed_mime_types: allowed }: BucketLimits): void {
  if (!/^[^/\s]+\/[^/\s]/.test(type)) throw mimeNotSupported(type)
  if (!allowed || allowed.length === 0) return
  const given = type.toLowerCase().replaceAll(' ', '')
  const plain = given.split(';')[0] as string
  const fits = allowed.some((pattern) => {
    const wanted = pattern.toLowerCase().replaceAll(' ', '')
    if (wanted === '*' || wanted === '*/*') return true
    if (wanted.endsWith('/*')) return plain.startsWith(wanted.slice(0, -1))
    return wanted === given || wanted === plain
  })
  if (!fits) throw mimeNotSupported(type)
}

// Supabase's rules for names of buckets and objects: any UTF-8 that S3 accepts as a key, without characters that
// hide, reorder or climb.
import { invalidBucketName, invalidKey } from './errors.ts'

const BUCKET_NAME = /^[A-Za-z0-9_!.*'() &$=@;:+,?-]{1,100}$/

/**
 * Control characters, what S3 advises against (# [ ] { } ^ ` " < > \ | % ~), and characters that show nothing or turn
 * the direction of writing. Joiners stay: emoji and Persian need them. Lone surrogates have no UTF-8.
 */
const FORBIDDEN =
  /[\p{Cc}\p{Cs}#[\]{}^`"<>\\|%~\u{61C}\u{200B}\u{200E}\u{200F}\u{2028}-\u{202E}\u{2060}\u{2066}-\u{2069}\u{FEFF}\u{10FFFF}]|\u{34F}/u
const PATH_TRAVERSAL = /(^|\/)\.{1,2}(\/|$)/
const MAX_KEY_BYTES = 1024

/** Throws "Bucket name invalid" unless the text may name a bucket. */
export function requireBucketName(name: string): void {
  if (!BUCKET_NAME.test(name) || /^\.{1,2}$/.test(name)) throw invalidBucketName()
}

/** Throws "Invalid key" unless the text may name an object: at most 1024 bytes of UTF-8. */
export function requireKey(key: string): void {
  if (!isKey(key)) throw invalidKey(key)
}

export function isKey(key: string): boolean {
  return (
    key !== '' &&
    !FORBIDDEN.test(key) &&
    !PATH_TRAVERSAL.test(key) &&
    Buffer.byteLength(key, 'utf8') <= MAX_KEY_BYTES
  )
}

/** The file by which Studio keeps an empty folder: it is empty and of any type. */
export function isFolderPlaceholder(key: string): boolean {
  return key.endsWith('.emptyFolderPlaceholder')
}

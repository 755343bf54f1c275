// The headers of the tus resumable upload protocol, 1.0.0, and their errors:
// https://tus.io/protocols/resumable-upload
import { createHash, type Hash } from 'node:crypto'
import { StorageError } from '../errors.ts'

export const VERSION = '1.0.0'
export const EXTENSIONS =
  'creation,creation-with-upload,creation-defer-length,termination,expiration,checksum'
export const CHUNK_CONTENT_TYPE = 'application/offset+octet-stream'

/** Headers of an answer that clients on another origin may read. */
export const EXPOSED_HEADERS = [
  ...[
    'Location',
    'Upload-Offset',
    'Upload-Length',
    'Upload-Metadata',
    'Upload-Expires',
    'Upload-Defer-Length',
  ],
  ...[
    'Tus-Resumable',
    'Tus-Version',
    'Tus-Extension',
    'Tus-Max-Size',
    'Tus-Checksum-Algorithm',
    'Tus-Complete',
  ],
].join(',')

/** An error of the protocol, under its own HTTP status. */
export const tusError = (status: number, message: string) => new StorageError(status, 'TusError', message)

const CHECKSUMS = ['sha1', 'sha256', 'md5']

export const CHECKSUM_ALGORITHMS = CHECKSUMS.join(',')

/** A header that counts bytes; null when it is absent. Throws 400 for anything but a whole number. */
export function byteCount(headers: Record<string, string | undefined>, name: string): number | null {
  const text = headers[name.toLowerCase()]
  if (text === undefined) return null
  const number = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(number)) throw tusError(400, `Invalid ${name.toLowerCase()}`)
  return number
}

/** The pairs of Upload-Metadata: names, and values in base64. Throws 400 for what does not look like that. */
export function readMetadata(header: string): Record<string, string> {
  const pairs: Record<string, string> = {}
  for (const pair of header.split(',').map((text) => text.trim())) {
    if (pair === '') continue
    const [, name, value = ''] = /^([^\s,]+)(?: +([A-Za-z0-9+/_=-]*))?$/.exec(pair) ?? []
    if (name === undefined || name in pairs) throw tusError(400, 'Invalid upload-metadata')
    pairs[name] = Buffer.from(value, 'base64').toString('utf8')
  }
  return pairs
}

export interface Checksum {
  hash: Hash
  /** Whether the hash is the one that the client sent. */
  holds(): boolean
}

/** The checksum of a chunk in Upload-Checksum; null if there is none. Throws 400 for an unknown algorithm. */
export function readChecksum(header: string | undefined): Checksum | null {
  if (header === undefined) return null
  const [, algorithm = '', digest = ''] = /^(\S+) ([A-Za-z0-9+/]+=*)$/.exec(header.trim()) ?? []
  if (!CHECKSUMS.includes(algorithm)) throw tusError(400, 'Invalid upload-checksum')
  const hash = createHash(algorithm)
  return { hash, holds: () => hash.digest('base64').replace(/=+$/, '') === digest.replace(/=+$/, '') }
}

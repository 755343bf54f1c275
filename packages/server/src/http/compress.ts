// Answers made for one request, compressed as its client takes them: text, large enough to be worth it.
// https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
import { promisify } from 'node:util'
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib'
import type { Answer } from './answer.ts'

/** Bytes below which compressing takes longer than it saves: 3 kB took as much processor time as all else of a request. */
const MIN_BYTES = 4 * 1024
/** Bytes from which other threads compress: handing them over and back takes as long as 64 kB. */
const MIN_THREAD_BYTES = 64 * 1024
/** Larger ones would keep the threads, which everybody shares, for too long. */
const MAX_BYTES = 8 * 1024 * 1024

// The quickest level. 60 kB of tasks take a third of the time of the usual levels: Brotli 0.14 instead of 0.42 ms at
// 4, gzip 0.23 instead of 0.66 at 6. They are at most a tenth larger.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const GZIP = { level: 1 }

const COMPRESSORS = {
  br: (body: Buffer) =>
    body.length < MIN_THREAD_BYTES
      ? brotliCompressSync(body, BROTLI)
      : promisify(brotliCompress)(body, BROTLI),
  gzip: (body: Buffer) =>
    body.length < MIN_THREAD_BYTES ? gzipSync(body, GZIP) : promisify(gzip)(body, GZIP),
}

const TEXT = /^(text\/|application\/(.+\+)?(json|xml|geo\+json))/i

/** The encodings that this server knows, the smallest first. */
export const ENCODINGS = ['br', 'gzip'] as const

/** The smallest encoding of `offered` that an Accept-Encoding header names and does not refuse; undefined for none. */
export function chooseEncoding(
  accepted: string | undefined,
  offered: (name: (typeof ENCODINGS)[number]) => boolean = () => true,
): (typeof ENCODINGS)[number] | undefined {
  if (!accepted) return undefined
  return ENCODINGS.find(
    (name) =>
      offered(name) && new RegExp(`\\b${name}\\b(?!\\s*;\\s*q=0(\\.0*)?\\s*(,|$))`, 'i').test(accepted),
  )
}

/** The answer, compressed where that is worth it. Streams and encoded answers stay as they are. */
export async function compressed(answer: Answer, accepted: string | undefined): Promise<Answer> {
  const { body, encoding: charset } = answer
  if (body === null || (typeof body !== 'string' && !Buffer.isBuffer(body))) return answer
  if (body.length < MIN_BYTES || body.length > MAX_BYTES) return answer
  const { 'content-length': _, ...headers } = inLowerCase(answer.headers)
  if (headers['content-encoding'] || !TEXT.test(String(headers['content-type'] ?? ''))) return answer
  headers.vary = [headers.vary ?? [], 'accept-encoding'].flat().join(', ')
  const encoding = chooseEncoding(accepted)
  if (!encoding) return { ...answer, headers }
  // Other bytes than those that a strong validator names.
  if (typeof headers.etag === 'string' && !headers.etag.startsWith('W/')) headers.etag = `W/${headers.etag}`
  const bytes = typeof body === 'string' ? Buffer.from(body, charset ?? 'utf8') : body
  return {
    ...(answer.statusText === undefined ? {} : { statusText: answer.statusText }),
    status: answer.status,
    headers: { ...headers, 'content-encoding': encoding },
    body: await COMPRESSORS[encoding](bytes),
  }
}

function inLowerCase(headers: Answer['headers']): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

// Answers made for one request, compressed as its client takes them: text, large enough to be worth it. Done on other
// threads. https://www.rfc-editor.org/rfc/rfc9110#section-12.5.3
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Answer } from './answer.ts'

/** What goes out in one packet arrives no sooner when it is smaller. */
const MIN_BYTES = 1400
/** Larger ones would keep the threads, which everybody shares, for too long. */
const MAX_BYTES = 8 * 1024 * 1024
/** Takes about as long as gzip, and is a tenth smaller. */
const BROTLI_QUALITY = 4
const TEXT = /^(text\/|application\/(.+\+)?(json|xml|geo\+json))/i

const COMPRESSORS = {
  br: (body: Buffer) =>
    promisify(brotliCompress)(body, {
      params: {
        [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY,
        [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
      },
    }),
  gzip: (body: Buffer) => promisify(gzip)(body),
}

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

/** The answer as it is, or a promise of it compressed. Streams and what is encoded already stay as they are. */
export function compressed(answer: Answer, accepted: string | undefined): Answer | Promise<Answer> {
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
  return COMPRESSORS[encoding](bytes).then((packed) => ({
    ...(answer.statusText === undefined ? {} : { statusText: answer.statusText }),
    status: answer.status,
    headers: { ...headers, 'content-encoding': encoding },
    body: packed,
  }))
}

function inLowerCase(headers: Answer['headers']): Answer['headers'] {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
}

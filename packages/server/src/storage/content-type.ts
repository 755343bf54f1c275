// Checks a file's first bytes against its declared type. Only types that browsers show or play are checked: text has no
// signature, and anything else is never opened (download/disposition.ts).

import { finished, Readable } from 'node:stream'
import { lazyPackage } from '../config/lazy-packages.ts'
import { essence } from './download/disposition.ts'

/** First bytes that are needed to detect a type: what file-type reads. */
export const HEAD_BYTES = 4100

/** The file's content is not of the type that was declared for it. */
export class ContentMismatch extends Error {
  constructor(declared: string, found: string | undefined) {
    super(
      `the content is not of the declared type ${declared}: ${found ? `it looks like ${found}` : 'it has no such signature'}`,
    )
    this.name = 'ContentMismatch'
  }
}

/** Names that stand for the same format as the first of their line. */
const ALIASES = [
  ['image/jpeg', 'image/jpg', 'image/pjpeg'],
  ['image/png', 'image/apng', 'image/x-png'],
  ['image/gif'],
  ['image/webp'],
  ['image/avif'],
  ['image/heic', 'image/heif', 'image/heic-sequence', 'image/heif-sequence'],
  ['image/bmp', 'image/x-ms-bmp', 'image/x-bmp'],
  ['image/tiff', 'image/x-tiff'],
  ['image/x-icon', 'image/vnd.microsoft.icon'],
  ['application/pdf', 'application/x-pdf'],
]

/** The media type of SVG, which is markup. */
export const SVG = 'image/svg+xml'

/** Behind the byte order mark of UTF-8, if there is one. */
const BEGINS_WITH_TAG = /^(?:\xef\xbb\xbf)?\s*</

const MARKUP =
  /^\s*<(?:!doctype|!--|\?xml|html|head|body|script|style|iframe|svg|meta|title|div|a|img|object|embed)\b/i

/**
 * Resolves with the whole body again once its first bytes fit the declared type. Rejects with ContentMismatch when
 * they do not, leaving the body unread, and with what the body fails with. The result is `body` itself wherever it
 * can be, so that a request is streamed straight to the disk.
 */
export async function checkedContent(body: Readable, declared: string): Promise<Readable> {
  if (!isChecked(declared)) return body
  const { head, rest } = await peek(body)
  await checkHead(head, declared)
  return rest
}

/** The same for bytes that are already at hand: at least the first 4,100, or all there are. */
export async function checkHead(head: Uint8Array, declared: string): Promise<void> {
  if (!isChecked(declared)) return
  const type = essence(declared)
  const text = Buffer.from(head.subarray(0, 1024)).toString('latin1')
  if (type === SVG) {
    if (!BEGINS_WITH_TAG.test(text)) throw new ContentMismatch(type, await signature(head))
    return
  }
  if (MARKUP.test(text.replace(/^\xef\xbb\xbf/, ''))) throw new ContentMismatch(type, 'markup')
  const found = await signature(head)
  const names = ALIASES.find((line) => line.includes(type))
  // An image of another format than declared: browsers and transformations go by its bytes.
  if (isRaster(found) && type.startsWith('image/')) return
  if (names) {
    // A PDF may have something in front of its signature.
    if (names.includes(found ?? '') || (names[0] === 'application/pdf' && text.includes('%PDF-'))) return
    throw new ContentMismatch(type, found)
  }
  // Containers hold either audio or video, and not every format has a known signature.
  if (found && !/^(?:image|audio|video|font)\//.test(found) && !/^application\/(?:ogg|mxf|vnd\.)/.test(found))
    throw new ContentMismatch(type, found)
}

/**
 * The media type of an image by its first bytes, at least 4,100 or all there are; null for other content. Markup
 * stored as SVG counts as one, even where its `<svg` comes later.
 */
export async function imageType(head: Uint8Array, declared: string): Promise<string | null> {
  const text = Buffer.from(head).toString('latin1')
  if (BEGINS_WITH_TAG.test(text)) {
    return essence(declared) === SVG || /<svg[\s>]/i.test(text) ? SVG : null
  }
  const found = await signature(head)
  return isRaster(found) ? found : null
}

/** Images of pixels, which hold no script. */
function isRaster(type: string | undefined): type is string {
  return type !== undefined && /^image\//.test(type) && type !== SVG
}

function isChecked(declared: string): boolean {
  return /^(?:image|audio|video|font)\/|^application\/(?:x-)?pdf$/.test(essence(declared))
}

async function signature(head: Uint8Array): Promise<string | undefined> {
  // Loaded by the first upload that needs it.
  const { fileTypeFromBuffer } = await lazyPackage('fileType')
  return (await fileTypeFromBuffer(head))?.mime
}

/** The first bytes of a stream, and the stream with them put back. */
function peek(body: Readable): Promise<{ head: Buffer; rest: Readable }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let length = 0
    const finish = (rest: (head: Buffer) => Readable) => {
      stopWatching()
      body.off('data', take)
      const head = Buffer.concat(chunks)
      resolve({ head, rest: rest(head) })
    }
    const take = (chunk: Buffer | string) => {
      chunks.push(Buffer.from(chunk as Buffer))
      length += chunk.length
      if (length < HEAD_BYTES) return
      body.pause()
      finish((head) => {
        body.unshift(head)
        return body
      })
    }
    const stopWatching = finished(body, { writable: false }, (error) => {
      if (error) reject(error)
      else finish((head) => Readable.from([head], { objectMode: false }))
    })
    body.on('data', take)
  })
}

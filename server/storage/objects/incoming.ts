// The content of an upload as it arrives: a raw body with its headers, or a form whose first file is the object.
// Nothing is held in memory: the body is a stream, read as fast as it is written.
import { type Readable, Readable as Streams } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import type { HttpBindings } from '@hono/node-server'
import busboy from 'busboy'
import type { Context } from 'hono'
import { invalidRequest, mimeNotSupported, noContent, tooLarge } from '../errors.ts'
import { isHeaderText } from '../serve/disposition.ts'
import { endInSilence } from '../silence.ts'

/** What is said of an object beside its bytes. */
export interface Description {
  mimeType: string
  /** As the Cache-Control header has it. */
  cacheControl: string
  userMetadata: Record<string, unknown> | null
  /** What search engines may do with it, as the X-Robots-Tag header has it; nothing, where it is left out. */
  robots?: string | undefined
}

export interface Incoming extends Description {
  body: Readable
  /** The whole body's length in bytes where it was announced and is the object's own. */
  announced: number | null
  /** What is said after the bytes, once they were read: fields of a form may follow its file. */
  final(): Description
}

const LARGEST_USER_METADATA = 1024 * 1024

/** Reads the head of an upload. Throws a refusal for a form without a file, or with texts that no header can carry. */
export async function readIncoming(c: Context): Promise<Incoming> {
  const incoming = (c.env as HttpBindings | undefined)?.incoming
  const request = incoming ? endInSilence(incoming) : webBody(c)
  const given = c.req.header('x-robots-tag')
  const robots = given && requireHeaderText('x-robots-tag', given)
  if ((c.req.header('content-type') ?? '').toLowerCase().startsWith('multipart/form-data')) {
    return readForm(c.req.header(), request, robots)
  }
  const description = {
    mimeType: requireMimeType(c.req.header('content-type') ?? 'application/octet-stream'),
    cacheControl: requireHeaderText('cache-control', c.req.header('cache-control') ?? 'no-cache'),
    userMetadata: encodedMetadata(c.req.header('x-metadata')),
    robots,
  }
  const length = Number(c.req.header('content-length') ?? Number.NaN)
  return {
    ...description,
    body: request,
    announced: Number.isSafeInteger(length) ? length : null,
    final: () => description,
  }
}

function webBody(c: Context): Readable {
  const { body } = c.req.raw
  return body ? Streams.fromWeb(body as unknown as WebStream) : Streams.from([])
}

/** The head of a form: resolves when its file begins. */
function readForm(
  headers: Record<string, string>,
  request: Readable,
  robots: string | undefined,
): Promise<Incoming> {
  return new Promise((resolve, reject) => {
    let parser: busboy.Busboy
    try {
      parser = busboy({
        headers,
        defParamCharset: 'utf8',
        limits: { files: 1, fields: 10, fieldSize: LARGEST_USER_METADATA + 1, headerPairs: 100 },
      })
    } catch (error) {
      reject(noContent((error as Error).message))
      return
    }
    const fields: Record<string, string> = {}
    let file: Readable | undefined
    let type = 'application/octet-stream'
    const fail = (error: Error) => {
      request.unpipe(parser)
      parser.destroy()
      // An upload that waits for the rest of the file must learn that there is none.
      file?.destroy(error)
      reject(error)
    }
    parser.on('field', (name, value) => {
      fields[name] = value
    })
    parser.on('file', (_name, stream, { mimeType }) => {
      file = stream
      // It may break off while nobody reads it yet; whoever does then learns of it.
      stream.on('error', () => {})
      type = mimeType || type
      try {
        resolve({
          ...describe(fields, type),
          robots,
          body: stream,
          announced: null,
          final: () => ({ ...describe(fields, type), robots }),
        })
      } catch (error) {
        // What follows is read and dropped, so that the answer finds its way.
        stream.resume()
        reject(error)
      }
    })
    parser.on('error', (error) => fail(noContent((error as Error).message)))
    const brokenOff = () => {
      if (!request.readableEnded) fail(noContent('The request ended before its file did'))
    }
    parser.once('close', () => {
      request.off('close', brokenOff)
      reject(noContent())
    })
    request.once('close', brokenOff)
    request.once('error', brokenOff)
    request.pipe(parser)
  })
}

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

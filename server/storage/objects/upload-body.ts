// The content of an upload as it arrives: a raw body with its headers, or a form whose first file is the object.
// The body stays a stream and is read as fast as it is written.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { ReadableStream as WebStream } from 'node:stream/web'
import type { HttpBindings } from '@hono/node-server'
import type { Context } from 'hono'
import type { StorageService } from '../service.ts'
import { encodedMetadata, type IncomingUpload, requireHeaderText, requireMimeType } from './metadata.ts'
import { readForm } from './multipart-form.ts'

/**
 * Reads the head of an upload. Throws a StorageError for a form without a file, or with texts that no header can carry, and
 * BodyRefused where there is no room for another upload.
 */
export async function readIncoming(c: Context, { bodies }: StorageService): Promise<IncomingUpload> {
  const { incoming, outgoing } = (c.env ?? {}) as Partial<HttpBindings>
  if (incoming && outgoing) bodies.pass(incoming as IncomingMessage, outgoing as ServerResponse)
  const request = incoming ?? webBody(c)
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
    contentLength: Number.isSafeInteger(length) ? length : null,
    final: async () => description,
  }
}

function webBody(c: Context): Readable {
  const { body } = c.req.raw
  return body ? Readable.fromWeb(body as unknown as WebStream) : Readable.from([])
}

// A multipart form whose first file is the object: its bytes as a stream, its fields before and behind them.
import type { Readable } from 'node:stream'
import busboy from 'busboy'
import { noContent, tooLarge } from '../errors.ts'
import { describe, type IncomingUpload, MAX_USER_METADATA_BYTES } from './metadata.ts'
import { nameUnnamedFiles } from './unnamed-files.ts'

/** Maximum bytes of a form, without its file: fields, and parts that are ignored. */
const MAX_FORM_OVERHEAD_BYTES = 8 * 1024 * 1024
/** Parts of a form, ignored ones too: each costs as much as a small request. */
const MAX_PARTS = 100

/**
 * Resolves when the form's file begins. Rejects with a StorageError for one without a file, and for one that is cut off.
 * Calls `onTooManyParts`, which answers, for one of more than MAX_PARTS.
 */
export function readForm(
  request: Readable,
  contentType: string,
  { robots, onTooManyParts }: { robots: string | undefined; onTooManyParts: () => void },
): Promise<IncomingUpload> {
  return new Promise((resolve, reject) => {
    const parser = createParser(contentType)
    const named = nameUnnamedFiles(contentType)
    const fields: Record<string, string> = {}
    let file: Readable | undefined
    /** The whole file has been read. */
    let over = false
    let failure: Error | undefined
    const fail = (error: Error) => {
      failure ??= error
      request.unpipe(named)
      parser.destroy()
      // An upload that waits for the rest of the file must learn that there is none.
      file?.destroy(error)
      reject(error)
    }
    const ended = new Promise<void>((resolved) => parser.once('close', resolved))
    let rest = 0
    const countRest = (chunk: Buffer) => {
      if (file && !over) return
      rest += chunk.length
      if (rest > MAX_FORM_OVERHEAD_BYTES) fail(tooLarge('form'))
    }
    parser.on('field', (name, value) => {
      fields[name] = value
    })
    parser.on('file', (_name, stream, { mimeType }) => {
      file = stream
      // The parser ends the stream with null; its reader may be far behind.
      const push = stream.push.bind(stream)
      stream.push = (chunk, encoding) => {
        over ||= chunk === null
        return push(chunk, encoding)
      }
      const type = mimeType || 'application/octet-stream'
      // The stream may fail before it is read; its reader gets the error then.
      stream.on('error', () => {})
      const described = () => ({ ...describe(fields, type), robots })
      try {
        resolve({
          ...described(),
          body: stream,
          contentLength: null,
          async final() {
            await ended
            if (failure) throw failure
            return described()
          },
        })
      } catch (error) {
        // Read and drop the rest, so that the client reads the answer.
        stream.resume()
        reject(error)
      }
    })
    parser.on('partsLimit', () => {
      onTooManyParts()
      fail(noContent(`A form has ${MAX_PARTS} parts at most`))
    })
    parser.on('error', (error) => fail(noContent((error as Error).message)))
    const brokenOff = () => {
      if (!request.readableEnded) fail(noContent('The request ended before its form did'))
    }
    parser.once('close', () => {
      request.off('close', brokenOff)
      named.off('data', countRest)
      reject(noContent())
    })
    request.once('close', brokenOff)
    request.once('error', brokenOff)
    named.on('data', countRest)
    request.pipe(named).pipe(parser)
  })
}

function createParser(contentType: string): busboy.Busboy {
  try {
    return busboy({
      headers: { 'content-type': contentType },
      defParamCharset: 'utf8',
      limits: {
        files: 1,
        fields: 10,
        // The parser emits `partsLimit` at this part: the first one too many.
        parts: MAX_PARTS + 1,
        fieldSize: MAX_USER_METADATA_BYTES + 1,
        headerPairs: 100,
      },
    })
  } catch (error) {
    throw noContent((error as Error).message)
  }
}

// A multipart form whose first file is the object: its bytes as a stream, its fields before and behind them.
import type { Readable } from 'node:stream'
import busboy from 'busboy'
import { noContent, tooLarge } from '../errors.ts'
import { describe, LARGEST_USER_METADATA } from './metadata.ts'
import { nameUnnamedFiles } from './unnamed-files.ts'
import type { Incoming } from './upload-body.ts'

/** What a form may bring beside its file, in bytes: fields, and whatever else is in it and not wanted. */
const LARGEST_REST = 8 * 1024 * 1024

/** Resolves when the form's file begins. Rejects with a refusal for one without a file, and for one that breaks off. */
export function readForm(
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
    const named = nameUnnamedFiles(headers['content-type'] ?? '')
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
    const ended = new Promise<void>((settle) => parser.once('close', settle))
    let rest = 0
    const countRest = (chunk: Buffer) => {
      if (file && !over) return
      rest += chunk.length
      if (rest > LARGEST_REST) fail(tooLarge('form'))
    }
    parser.on('field', (name, value) => {
      fields[name] = value
    })
    parser.on('file', (_name, stream, { mimeType }) => {
      file = stream
      // The parser ends it so; whoever reads it may be far behind.
      const push = stream.push.bind(stream)
      stream.push = (chunk, encoding) => {
        over ||= chunk === null
        return push(chunk, encoding)
      }
      const type = mimeType || 'application/octet-stream'
      // It may break off while nobody reads it yet; whoever does then learns of it.
      stream.on('error', () => {})
      const described = () => ({ ...describe(fields, type), robots })
      try {
        resolve({
          ...described(),
          body: stream,
          announced: null,
          async final() {
            await ended
            if (failure) throw failure
            return described()
          },
        })
      } catch (error) {
        // What follows is read and dropped, so that the answer finds its way.
        stream.resume()
        reject(error)
      }
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

// Resizes and encodes an image with sharp: oriented upright, never enlarged, without metadata.

import type { Sharp } from 'sharp'
import { lazyPackage } from '../../config/lazy-packages.ts'
import { StorageError } from '../errors.ts'
import type { TransformOptions } from './options.ts'

export type Format = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif'

/** As Supabase: pictures of more bytes or pixels are not worked on. */
export const MAX_SOURCE_BYTES = 25_000_000
const MAX_PIXELS = 50_000_000
const TIMEOUT_SECONDS = 20
const DEFAULT_QUALITY = 80

/** A StorageError for a picture that cannot be worked on. */
export function imageError(message: string): StorageError {
  return new StorageError(422, 'ImageProcessingError', message)
}

/**
 * The output format: the requested one, WebP when the client accepts it, otherwise the image's own.
 * Formats that browsers do not show become PNG where they may be transparent, JPEG where not.
 */
export function outputFormat(type: string, { format }: TransformOptions, accept: string | undefined): Format {
  if (format === 'avif') return 'avif'
  if (format !== 'origin' && accept?.includes('image/webp')) return 'webp'
  const own = /^image\/(?:x-)?(jpe?g|png|apng|webp|gif|avif|tiff)/.exec(type)?.[1]
  if (own === 'jpg' || own === 'jpeg') return 'jpeg'
  if (own === 'apng' || own === 'tiff') return 'png'
  return (own as Format | undefined) ?? 'jpeg'
}

/** Makes the picture. Rejects with a StorageError when the source is no picture, or too large to work on. */
export async function resize(source: Buffer, options: TransformOptions, format: Format): Promise<Buffer> {
  const sharp = await load()
  try {
    const picture = sharp(source, { limitInputPixels: MAX_PIXELS, failOn: 'error', sequentialRead: true })
    const { autoOrient } = await picture.metadata()
    const upright = picture.timeout({ seconds: TIMEOUT_SECONDS }).autoOrient()
    const sized = scale(upright, autoOrient, options)
    return await encode(sized, format, options.quality ?? DEFAULT_QUALITY).toBuffer()
  } catch (error) {
    const { message } = error as Error
    if (/pixel limit/i.test(message))
      throw imageError(`The image has more than ${MAX_PIXELS / 1e6} million pixels`)
    // As much the machine's fault as the picture's: it may go better another time.
    if (/^timeout/i.test(message))
      throw new StorageError(504, 'ImageProcessingError', 'The image takes too long')
    throw imageError('The image cannot be read')
  }
}

type SharpModule = typeof import('sharp')['default']

let loaded: Promise<SharpModule> | undefined

/** Loaded by the first picture: it takes 20 MB that a server without pictures has other uses for. */
function load(): Promise<SharpModule> {
  loaded ??= lazyPackage('sharp').then(({ default: sharp }) => {
    sharp.cache(false)
    // Several pictures at once keep the processors busy; one of them does not need them all.
    sharp.concurrency(1)
    // Only these decoders are enabled. SVG is not: its rendering ignores timeouts.
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({
      operation: ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif', 'Tiff'].map((name) => `VipsForeignLoad${name}`),
    })
    return sharp
  })
  return loaded
}

type Size = { width: number; height: number }

/** Never larger than the picture is: an enlarged one only weighs more. */
function scale(picture: Sharp, own: Size, { width, height, resize = 'cover' }: TransformOptions): Sharp {
  if (!width && !height) return picture
  const across = width ? width / own.width : Number.POSITIVE_INFINITY
  const down = height ? height / own.height : Number.POSITIVE_INFINITY
  const side = (length: number) => Math.max(1, Math.round(length))
  if (!width || !height || resize === 'contain') {
    const factor = Math.min(across, down, 1)
    return picture.resize(side(own.width * factor), side(own.height * factor), { fit: 'fill' })
  }
  if (resize === 'fill') {
    // The box keeps its shape and shrinks until neither side is longer than the picture's.
    const factor = 1 / Math.max(across, down, 1)
    return picture.resize(side(width * factor), side(height * factor), { fit: 'fill' })
  }
  return picture.resize(Math.min(width, own.width), Math.min(height, own.height), { fit: 'cover' })
}

function encode(picture: Sharp, format: Format, quality: number): Sharp {
  switch (format) {
    case 'jpeg':
      // JPEG has no transparency: what shines through is white, not black.
      return picture.flatten({ background: 'white' }).jpeg({ quality })
    case 'png':
      return picture.png()
    case 'gif':
      return picture.gif()
    case 'webp':
      return picture.webp({ quality })
    case 'avif':
      // A little larger for a quarter of the time.
      return picture.avif({ quality, effort: 2 })
  }
}

// Options of an image transformation, from a query string or the text in a signed URL, with the errors and
// limits of Supabase's image service: https://supabase.com/docs/guides/storage/serving/image-transformations
import { invalidShape } from '../errors.ts'

export interface TransformOptions {
  /** Pixels; without one of the two, the picture keeps its shape. */
  width?: number
  height?: number
  /** cover fills the box and cuts off what is over, contain fits within it, fill stretches. cover by default. */
  resize?: 'cover' | 'contain' | 'fill'
  /** 20 to 100. */
  quality?: number
  /** origin keeps the format; without it, browsers that take WebP get that. */
  format?: 'origin' | 'avif'
}

const MAX_SIDE_PIXELS = 2500

/** Reads the query string or a JSON body's `transform`. Throws the error Supabase answers for a value that does not fit. */
export function readOptions(given: Record<string, unknown>, where = 'querystring'): TransformOptions {
  const whole = (name: 'width' | 'height' | 'quality', min: number, max: number) => {
    const value = given[name]
    if (value === undefined || value === '') return undefined
    if (!/^\d{1,9}$/.test(String(value))) throw invalidShape(`${where}/${name} must be integer`)
    const number = Number(value)
    if (name !== 'quality') return number === 0 ? undefined : Math.min(number, max)
    if (number < min) throw invalidShape(`${where}/${name} must be >= ${min}`)
    if (number > max) throw invalidShape(`${where}/${name} must be <= ${max}`)
    return number
  }
  const one = <Value extends string>(name: 'resize' | 'format', values: readonly Value[]) => {
    const value = given[name]
    if (value === undefined || value === '') return undefined
    if (!values.includes(value as Value))
      throw invalidShape(`${where}/${name} must be equal to one of the allowed values`)
    return value as Value
  }
  return compact({
    height: whole('height', 1, MAX_SIDE_PIXELS),
    width: whole('width', 1, MAX_SIDE_PIXELS),
    resize: one('resize', ['cover', 'contain', 'fill'] as const),
    quality: whole('quality', 20, 100),
    format: one('format', ['origin', 'avif'] as const),
  })
}

/** The one text for these options, for example `height:200,width:100,resize:cover`; '' for none. */
export function optionsText(options: TransformOptions): string {
  const { height, width, resize, quality, format } = options
  const parts = { height, width, resize: width || height ? (resize ?? 'cover') : undefined, quality, format }
  return Object.entries(parts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}:${value}`)
    .join(',')
}

/** The options of such a text. */
export function optionsOfText(text: string): TransformOptions {
  const pairs = text.split(',').filter(Boolean)
  return readOptions(Object.fromEntries(pairs.map((pair) => pair.split(':') as [string, string])), 'token')
}

function compact(options: { [Name in keyof TransformOptions]: TransformOptions[Name] | undefined }) {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as TransformOptions
}

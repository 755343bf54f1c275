// Chooses what the answer is: the first of the accepted media types that can be made.
// Reference: PostgREST 14, "Media type handlers" (the built-in ones).
import { noSuchMediaType } from '../errors.ts'
import { type MediaType, mediaTypeName } from '../request/media.ts'
import type { BodyFormat } from '../sql/statement.ts'

export type Negotiated = { media: MediaType; format: Exclude<BodyFormat, 'none'> }

export type Producible = {
  /** EXPLAIN may be asked for. */
  explain: boolean
  /** PostGIS is there. */
  geojson: boolean
}

/** Throws PGRST107 when none can be made. */
export function negotiate(accept: readonly MediaType[], producible: Producible): Negotiated {
  for (const type of accept) {
    if (type.kind === 'plan') {
      const format = producible.explain ? formatOf(type.inner, producible) : null
      if (format) return { media: type, format }
      continue
    }
    const format = formatOf(type, producible)
    if (format) return { media: type.kind === 'any' ? { kind: 'json' } : type, format }
  }
  throw noSuchMediaType(accept.map(mediaTypeName))
}

function formatOf(type: MediaType, { geojson }: Producible): Negotiated['format'] | null {
  switch (type.kind) {
    case 'json':
    case 'any':
      return 'json'
    case 'array-stripped':
      return 'json-stripped'
    case 'object':
      return type.stripped ? 'object-stripped' : 'object'
    case 'csv':
      return 'csv'
    case 'geojson':
      return geojson ? 'geojson' : null
    default:
      return null
  }
}

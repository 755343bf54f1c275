// Chooses what the answer is: the first of the accepted media types that can be made, by PostgreSQL itself or by
// the project's own aggregates and functions.
// Reference: PostgREST 14, "Media type handlers" and "Resource representation".

import { noSuchMediaType } from '../errors/errors.ts'
import { type MediaType, mediaTypeName, readMediaType } from '../request/media.ts'
import type { Catalogue, MediaAggregate, MediaDomain, QualifiedName, Routine } from '../schema-cache/types.ts'
import type { BodyFormat } from './types.ts'

export type Negotiated = { media: MediaType; format: BodyFormat }

export type Producible = {
  /** EXPLAIN may be asked for. */
  explain: boolean
  catalogue: Pick<Catalogue, 'postgis' | 'mediaAggregates'>
  /** The relation whose rows are shown. */
  rows: QualifiedName
  /** They are shown as they are: every column, and nothing else. */
  whole: boolean
  /** The function whose result is shown. */
  routine: Routine | null
}

/** Throws PGRST107 when none can be made. */
export function negotiate(accept: readonly MediaType[], producible: Producible): Negotiated {
  for (const type of accept) {
    if (type.kind === 'plan') {
      const made = producible.explain ? madeAs(type.inner, producible) : null
      if (made) return { media: type, format: made.format }
      continue
    }
    const made = madeAs(type, producible)
    if (made) return made
  }
  throw noSuchMediaType(accept.map(mediaTypeName))
}

function madeAs(type: MediaType, producible: Producible): Negotiated | null {
  // PostgREST's own media types are always answered as requested.
  if (type.kind === 'object') return { media: type, format: type.stripped ? 'object-stripped' : 'object' }
  if (type.kind === 'array-stripped') return { media: type, format: 'json-stripped' }
  const { postgis } = producible.catalogue
  const own = madeByProject(mediaTypeName(type), producible)
  if (own) return own
  switch (type.kind) {
    case 'json':
    case 'any':
      return { media: { kind: 'json' }, format: 'json' }
    case 'csv':
      return { media: type, format: 'csv' }
    case 'geojson':
      return postgis === null ? null : { media: type, format: { kind: 'geojson', postgis } }
    default:
      return null
  }
}

const ANY = '*/*'

function madeByProject(name: string, { catalogue, rows, whole, routine }: Producible): Negotiated | null {
  const made = (media: MediaDomain, by: MediaAggregate | null): Negotiated => ({
    media: media.name === ANY ? { kind: 'octets' } : readMediaType(media.name),
    format: { kind: 'own', by, binary: media.binary },
  })
  if (whole) {
    const result = routine?.media
    if (result && (result.name === ANY || result.name === name)) return made(result, null)
    const ofRows = catalogue.mediaAggregates.filter(
      ({ row }) => row?.schema === rows.schema && row.name === rows.name,
    )
    const found =
      ofRows.find(({ media }) => media.name === ANY) ?? ofRows.find(({ media }) => media.name === name)
    if (found) return made(found.media, found)
  }
  const general = catalogue.mediaAggregates.find(({ row, media }) => row === null && media.name === name)
  return general ? made(general.media, general) : null
}

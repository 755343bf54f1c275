// Areas and items of the map, in degrees of WGS 84.
import type { Position } from '../../../shared/distances.ts'

export type Area = { south: number; west: number; north: number; east: number }

/** One thing on the map: `tag` is on its marker, such as a price; `label` is its name for screen readers. */
export type MapItem = Position & { id: string; tag: string; label: string }

/** Shown while nothing else is asked: the settled south of the province. */
export const WHOLE_MAP: Area = { south: 49, west: -110, north: 54.6, east: -101.3 }

/** A pin begins there without a known place. */
export const MIDDLE_OF_MAP: Position = {
  latitude: (WHOLE_MAP.south + WHOLE_MAP.north) / 2,
  longitude: (WHOLE_MAP.west + WHOLE_MAP.east) / 2,
}

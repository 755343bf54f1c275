// Whether a position is in the province, by the map that ships with the app: the position does not leave the device for it.
import { kmBetween, type Position } from '../../shared/distances.ts'
import map from '../../shared/map/province.json?url'

/** A half of Lloydminster is in Alberta: this close to a place counts, as in the database's private.require_point. */
const NEAR_PLACE_KM = 6

type Ring = [longitude: number, latitude: number][]
type Feature = {
  properties: { kind: string }
  geometry: { type: string; coordinates: unknown }
}
export type MapFeatures = { features: Feature[] }

/** True if the map cannot be loaded: a search then finds what there is. */
export async function isInProvince(position: Position): Promise<boolean> {
  try {
    const response = await fetch(map)
    if (!response.ok) return true
    return isInside(position, (await response.json()) as MapFeatures)
  } catch {
    return true
  }
}

export function isInside(position: Position, { features }: MapFeatures): boolean {
  return features.some(({ properties: { kind }, geometry: { coordinates } }) => {
    if (kind === 'province') return isInRing(position, (coordinates as Ring[])[0] ?? [])
    if (kind !== 'place') return false
    const [longitude, latitude] = coordinates as [number, number]
    return kmBetween(position, { latitude, longitude }) <= NEAR_PLACE_KM
  })
}

/** Whether a line to the east crosses the ring an odd number of times. */
function isInRing({ latitude, longitude }: Position, ring: Ring): boolean {
  let inside = false
  ring.forEach(([east, north], index) => {
    const [otherEast, otherNorth] = ring.at(index - 1) ?? [east, north]
    if (north > latitude === otherNorth > latitude) return
    const crossing = east + ((latitude - north) / (otherNorth - north)) * (otherEast - east)
    if (longitude < crossing) inside = !inside
  })
  return inside
}

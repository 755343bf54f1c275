// Whether a position is in the province, by the map that ships with the app: the position does not leave the device for it.
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import { kmBetween, type Position } from '../../shared/distances.ts'
import map from '../../shared/map/province.json?url'

/** A half of Lloydminster is in Alberta: this close to a place counts, as in the database's private.require_point. */
const NEAR_PLACE_KM = 6

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
    if (kind === 'province')
      return booleanPointInPolygon([position.longitude, position.latitude], {
        type: 'Polygon',
        coordinates: coordinates as number[][][],
      })
    if (kind !== 'place') return false
    const [longitude, latitude] = coordinates as [number, number]
    return kmBetween(position, { latitude, longitude }) <= NEAR_PLACE_KM
  })
}

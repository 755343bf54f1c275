// Which positions are in the province; same as private.require_point in SQL.
import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import { kmBetween, type Position } from './distances.ts'

/** A half of Lloydminster is in Alberta: this close to a place counts. */
const NEAR_PLACE_KM = 6

/** A feature of map/province.json. */
type Feature = {
  properties: { kind: string }
  geometry: { type: string; coordinates: unknown }
}
export type ProvinceMap = { features: Feature[] }

export const isInProvince = (
  position: Position,
  { features }: ProvinceMap,
  places: readonly Position[],
): boolean =>
  features.some(
    ({ properties, geometry }) =>
      properties.kind === 'province' &&
      booleanPointInPolygon([position.longitude, position.latitude], {
        type: 'Polygon',
        coordinates: geometry.coordinates as number[][][],
      }),
  ) || places.some((place) => kmBetween(position, place) <= NEAR_PLACE_KM)

// How far apart two points are, as the crow flies.

const EARTH_RADIUS_KM = 6371

/** Degrees of WGS 84, north and east. */
export type Position = { latitude: number; longitude: number }

/** Kilometres between two points on a sphere, by the haversine formula; same as private.km_between in SQL. */
export function kmBetween(from: Position, to: Position): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2
  const h =
    half(to.latitude - from.latitude) +
    Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * half(to.longitude - from.longitude)
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)))
}

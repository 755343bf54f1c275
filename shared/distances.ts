// How far apart two places of Saskatchewan are, as the crow flies from city to city: nobody's address goes into it.
import { CITIES } from './cities.ts'
import { searchText } from './searchText.ts'

type City = (typeof CITIES)[number]

/** Degrees north and west of each city's middle. */
const MIDDLES: Record<City, readonly [north: number, west: number]> = {
  Saskatoon: [52.13, 106.67],
  Regina: [50.45, 104.61],
  'Prince Albert': [53.2, 105.75],
  'Moose Jaw': [50.39, 105.53],
  'Swift Current': [50.29, 107.8],
  Yorkton: [51.21, 102.46],
  'North Battleford': [52.78, 108.29],
  Estevan: [49.14, 102.99],
  Warman: [52.32, 106.58],
  Weyburn: [49.66, 103.85],
  Martensville: [52.29, 106.67],
  Lloydminster: [53.28, 110.01],
  Melfort: [52.86, 104.61],
  Humboldt: [52.2, 105.12],
  'Meadow Lake': [54.13, 108.43],
  Melville: [50.93, 102.81],
}

const EARTH_RADIUS_KM = 6371

/** The city that a place names ("Nutana, Saskatoon"), the last one if there are several; null for none. */
export function cityOf(place: string): City | null {
  const text = searchText(place)
  const named = CITIES.map((city) => ({ city, at: text.lastIndexOf(searchText(city)) }))
    .filter(({ at }) => at >= 0)
    .sort((a, b) => b.at - a.at)
  return named[0]?.city ?? null
}

/**
 * Kilometres between the cities of two places, rounded to 5 below 100 and to 10 above; 0 within one city. Null where one of
 * them names no city that is known.
 */
export function distanceKm(from: string, to: string): number | null {
  const [here, there] = [cityOf(from), cityOf(to)]
  if (!here || !there) return null
  if (here === there) return 0
  const km = greatCircleKm(MIDDLES[here], MIDDLES[there])
  const step = km < 100 ? 5 : 10
  return Math.max(step, Math.round(km / step) * step)
}

/** The haversine formula. */
function greatCircleKm(
  [north, west]: readonly [number, number],
  [otherNorth, otherWest]: readonly [number, number],
) {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2
  const h =
    half(otherNorth - north) +
    Math.cos(radians(north)) * Math.cos(radians(otherNorth)) * half(otherWest - west)
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.sqrt(h))
}

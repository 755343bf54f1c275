// How far apart two places are, as the crow flies from city to city: nobody's address goes into it.
import { cities } from '../marketplace.config.ts'
import type { City } from './marketplace.ts'
import { searchText } from './searchText.ts'

const EARTH_RADIUS_KM = 6371

/** Degrees of WGS 84, north and east. */
export type Position = { latitude: number; longitude: number }

/** The city that a place names ("Nutana, Saskatoon"), the last one if there are several; null for none. */
export function cityOf(place: string): City | null {
  const text = searchText(place)
  const named = cities
    .map((city) => ({ city, at: text.lastIndexOf(searchText(city.name)) }))
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
  const km = greatCircleKm(here, there)
  const step = km < 100 ? 5 : 10
  return Math.max(step, Math.round(km / step) * step)
}

const greatCircleKm = (here: City, there: City) => kmBetween(positionOf(here), positionOf(there))

const positionOf = ({ north, west }: City): Position => ({ latitude: north, longitude: -west })

/** Kilometres between two points on a sphere, by the haversine formula; same as private.km_between in SQL. */
export function kmBetween(from: Position, to: Position): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180
  const half = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2
  const h =
    half(to.latitude - from.latitude) +
    Math.cos(radians(from.latitude)) * Math.cos(radians(to.latitude)) * half(to.longitude - from.longitude)
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(h)))
}

// Exact points as people type and read them, and moves of a point by metres. Degrees of WGS 84.
import type { Position } from '../../shared/distances.ts'
import { latinDigits } from './digits.ts'

/** Five decimals are about a metre. */
const DECIMALS = 5
const METRES_PER_DEGREE = 111_195
const NUMBER = String.raw`([-+]?\d{1,3}(?:[.,]\d+)?)\s*°?\s*([NSEW]?)`
const PAIR = new RegExp(String.raw`^${NUMBER}(?:\s*[,;]\s*|\s+)${NUMBER}$`, 'i')

/** '52.13, -106.67', with a decimal comma, or '52.13° N 106.67° W'; null for anything else. */
export function pointFrom(typed: string): Position | null {
  const parts = PAIR.exec(latinDigits(typed.trim()))
  if (!parts) return null
  const [, north = '', northSign = '', east = '', eastSign = ''] = parts
  const latitude = degrees(north, northSign)
  const longitude = degrees(east, eastSign)
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null
}

const degrees = (number: string, sign: string) =>
  Number(number.replace(',', '.')) * (/[SW]/i.test(sign) ? -1 : 1)

/** '52.11570, -106.65710', which pointFrom reads. */
export const pointText = ({ latitude, longitude }: Position) =>
  `${latitude.toFixed(DECIMALS)}, ${longitude.toFixed(DECIMALS)}`

export function movedBy({ latitude, longitude }: Position, north: number, east: number): Position {
  const degreesEast = east / (METRES_PER_DEGREE * Math.cos((latitude * Math.PI) / 180))
  return { latitude: latitude + north / METRES_PER_DEGREE, longitude: longitude + degreesEast }
}

const DIRECTIONS = ['n', 'ne', 'e', 'se', 's', 'sw', 'w', 'nw'] as const
export type Direction = (typeof DIRECTIONS)[number]

/** The compass direction in which `to` is. */
export function directionTo(from: Position, to: Position): Direction {
  const north = to.latitude - from.latitude
  const east = (to.longitude - from.longitude) * Math.cos((from.latitude * Math.PI) / 180)
  const eighths = Math.round((Math.atan2(east, north) / Math.PI) * 4)
  return DIRECTIONS[(eighths + 8) % 8] ?? 'n'
}

/** At most so many stops: Google Maps takes nine waypoints and a destination, mobile browsers three. */
export const MAX_STOPS = 10

/**
 * Directions from where the device is, through all stops in their order: points, or addresses as text. Google's Maps URLs need no
 * key and open its app on iOS and Android, its page elsewhere. `geo:` links work on Android only.
 */
export function directionsUrl(stops: readonly (Position | string)[]): string {
  const texts = stops.slice(0, MAX_STOPS).map((stop) => (typeof stop === 'string' ? stop : pointText(stop)))
  const url = new URL('https://www.google.com/maps/dir/?api=1')
  url.searchParams.set('destination', texts.at(-1) ?? '')
  if (texts.length > 1) url.searchParams.set('waypoints', texts.slice(0, -1).join('|'))
  return url.href
}

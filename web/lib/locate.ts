// Asks the browser where the device is. Loaded when somebody wants to use their location.
import type { Position } from '../../shared/distances.ts'
import { isInProvince } from './province.ts'

/** Why there is no position; `outside` is a position outside of the province. */
export type LocationProblem = 'denied' | 'insecure' | 'unsupported' | 'timedOut' | 'unavailable' | 'outside'

export class LocationError extends Error {
  readonly problem: LocationProblem

  constructor(problem: LocationProblem) {
    super(problem)
    this.problem = problem
  }
}

const TIMEOUT_MS = 15_000
/** A position this old is good enough. */
const MAXIMUM_AGE_MS = 5 * 60_000

/**
 * The position in the province, `exact` as new and precise as it can be; the browser asks the person first. Rejects with a
 * LocationError.
 */
export async function locate(exact = false): Promise<Position> {
  // Browsers that have it there answer that it is denied, and their settings cannot change that.
  if (!isSecureContext) throw new LocationError('insecure')
  if (!('geolocation' in navigator)) throw new LocationError('unsupported')
  const { coords } = await new Promise<GeolocationPosition>((resolve, reject) => {
    navigator.geolocation.getCurrentPosition(resolve, (error) => reject(problemOf(error)), {
      timeout: TIMEOUT_MS,
      maximumAge: exact ? 0 : MAXIMUM_AGE_MS,
      enableHighAccuracy: exact,
    })
  })
  const position = { latitude: coords.latitude, longitude: coords.longitude }
  if (!(await isInProvince(position))) throw new LocationError('outside')
  return position
}

function problemOf({ code }: GeolocationPositionError): LocationError {
  if (code === GeolocationPositionError.PERMISSION_DENIED) return new LocationError('denied')
  return new LocationError(code === GeolocationPositionError.TIMEOUT ? 'timedOut' : 'unavailable')
}

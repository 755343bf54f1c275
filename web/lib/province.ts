// Whether a position is in the province, by the map and the places that ship with the app: the position does not leave the device
// for it.
import type { Position } from '../../shared/distances.ts'
import map from '../../shared/map/province.json?url'

/** True if they cannot be loaded: a search then finds what there is. */
export async function isInProvince(position: Position): Promise<boolean> {
  try {
    const [response, { places }, province] = await Promise.all([
      fetch(map),
      import('./allPlaces.ts'),
      import('../../shared/provinceArea.ts'),
    ])
    return !response.ok || province.isInProvince(position, await response.json(), places)
  } catch {
    return true
  }
}

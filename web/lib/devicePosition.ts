// The position of this device. It is kept in localStorage under `device-position` and nowhere else, rounded to about a kilometre,
// so that a search for tasks near it sends no more than that.
import type { Position } from '../../shared/distances.ts'
import { createStore, type ReadonlyStore } from './store.ts'

/** A hundredth of a degree is 1.1 km to the north and 0.7 km to the east. */
const DECIMALS = 2

const position = createStore<Position | undefined>(undefined)

/** Undefined until the person has given it on this device, and after they removed it or signed out. */
export const devicePosition: ReadonlyStore<Position | undefined> = position

if (typeof window !== 'undefined') {
  position.set(stored())
  // Another tab has changed it.
  window.addEventListener('storage', ({ key }) => {
    if (key === 'device-position' || key === null) position.set(stored())
  })
}

export function rememberPosition(exact: Position): void {
  const rounded = roundedPosition(exact)
  try {
    localStorage.setItem('device-position', JSON.stringify(rounded))
  } catch {
    // Without storage it lasts as long as the page.
  }
  position.set(rounded)
}

export function forgetPosition(): void {
  try {
    localStorage.removeItem('device-position')
  } catch {
    // It was not stored.
  }
  position.set(undefined)
}

// A declaration: it is called above, while the module is read.
function roundedPosition({ latitude, longitude }: Position): Position {
  return {
    latitude: Number(latitude.toFixed(DECIMALS)),
    longitude: Number(longitude.toFixed(DECIMALS)),
  }
}

function stored(): Position | undefined {
  try {
    const { latitude, longitude } = JSON.parse(localStorage.getItem('device-position') ?? '{}')
    const isPosition = Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180
    return isPosition ? roundedPosition({ latitude, longitude }) : undefined
  } catch {
    return undefined
  }
}

// Whether a wide window shows the map next to the list of tasks: chosen on this device, kept in localStorage under `tasks-map`.
import { createStore, type ReadonlyStore } from './store.ts'

const SHOWN = 'shown'

const shown = createStore(false)

export const wideMap: ReadonlyStore<boolean> = shown

if (typeof window !== 'undefined') shown.set(storedWideMap())

export function rememberWideMap(isShown: boolean): void {
  try {
    if (isShown) localStorage.setItem('tasks-map', SHOWN)
    else localStorage.removeItem('tasks-map')
  } catch {
    // The choice then lasts until the page is left.
  }
  shown.set(isShown)
}

export function storedWideMap(): boolean {
  try {
    return localStorage.getItem('tasks-map') === SHOWN
  } catch {
    return false
  }
}

/** Tailwind's `xl`, from which list and map fit next to each other. */
export const WIDE_QUERY = '(width >= 80rem)'

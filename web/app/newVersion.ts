// Handles a page of an earlier version after a release removed a chunk that it has not loaded. The page lets the next
// version take over and reloads, once for each version, so that it never loops.
// https://vite.dev/guide/build#load-error-handling
import { isVisitors, type ToWorker } from '../../shared/worker.ts'
import { createStore } from '../lib/store.ts'

/** Of this tab: the versions that have been left in this way, by the script that their pages begin with. */
const LEFT = 'left-versions'
/** How long a new version may take to arrive before the page says what is lacking. */
const MAX_WAIT_MS = 30_000

const lost = new WeakSet<object>()
/** Whether this page is leaving its version; another tab's wish does not reload it. */
const leaving = createStore(false)

/** Remembers which errors are those of a piece that could not be loaded. Once, before the first one is. */
export function watchMissingChunks(): void {
  addEventListener('vite:preloadError', ({ payload }) => lost.add(payload))
}

/** Whether this is the error of a piece of the app that could not be loaded, and not of one that failed. */
export const isMissingChunk = (error: unknown) => error instanceof Error && lost.has(error)

/** Whether this page is about to be loaded anew: nobody need be asked then. */
export const isLeaving = leaving.get

/** Has this worker, which waits, take over, and loads the page anew once it has. */
export function takeOver(waiting: ServiceWorker): void {
  leaving.set(true)
  // Not `controllerchange`, which a page that was loaded past the worker never hears.
  waiting.addEventListener('statechange', () => {
    if (waiting.state === 'activated') location.reload()
  })
  const update: ToWorker = { type: 'update' }
  waiting.postMessage(update)
}

/** Loads the page anew in a newer version; resolves to false where there is none, or where this one was left before. */
export async function leaveVersion(): Promise<boolean> {
  const own = ownScript()
  if (leaving.get()) return true
  if (!own || !navigator.onLine || hasLeft(own)) return false
  leaving.set(true)
  const waiting = await newWorker()
  // Kept first: where nothing is kept, nothing would end it either.
  leaving.set((waiting !== null || (await isReplaced())) && keepLeft(own))
  if (!leaving.get()) return false
  if (waiting) takeOver(waiting)
  else location.reload()
  return true
}

/** Whether a release has taken away the script that this page began with, and not a lost connection a single piece. */
export async function isReplaced(): Promise<boolean> {
  const own = ownScript()
  const answer = own && (await fetch(own, { method: 'HEAD', cache: 'no-store' }).catch(() => null))
  return answer ? answer.status === 404 : false
}

const ownScript = () => document.querySelector<HTMLScriptElement>('script[type=module][src]')?.src

/** The worker of the next version, once it has everything; null where there is none, or none arrives. */
async function newWorker(): Promise<ServiceWorker | null> {
  const registration = await navigator.serviceWorker?.getRegistration()
  if (!registration?.active || isVisitors(registration.active)) return null
  if (registration.waiting) return registration.waiting
  await registration.update().catch(() => undefined)
  const { installing } = registration
  if (!installing) return registration.waiting
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => resolve(null), MAX_WAIT_MS)
    installing.addEventListener('statechange', () => {
      clearTimeout(giveUp)
      resolve(installing.state === 'installed' ? installing : null)
    })
  })
}

function leftVersions(): string[] {
  const kept = JSON.parse(sessionStorage.getItem(LEFT) ?? '[]')
  return Array.isArray(kept) ? kept : []
}

function hasLeft(version: string): boolean {
  try {
    return leftVersions().includes(version)
  } catch {
    return true
  }
}

/** False where this browser keeps nothing. */
function keepLeft(version: string): boolean {
  try {
    sessionStorage.setItem(LEFT, JSON.stringify([...leftVersions(), version]))
    return true
  } catch {
    return false
  }
}

// For visitors who are not signed in: pages that they have opened open again without a network, by a small service
// worker (web/worker/visitorWorker.ts). It never replaces the app's own.
import { useEffect } from 'react'
import { isVisitors, type ToWorker, VISITORS_WORKER } from '../../shared/worker.ts'
import { whenIdle } from './whenIdle.ts'

export default function Visitor() {
  useEffect(() => {
    if (import.meta.env.DEV || !('serviceWorker' in navigator)) return
    const { serviceWorker: container } = navigator
    // Also what was loaded while the worker was on its way.
    const report = () => reportVisit(container.controller)
    const cancel = whenIdle(async () => {
      const registered = await container.getRegistration().catch(() => undefined)
      if (registered && !isVisitors(registered.active ?? registered.waiting ?? registered.installing)) return
      container.addEventListener('controllerchange', report)
      // Refused where the browser keeps nothing (private windows of some): the pages work without.
      await container.register(VISITORS_WORKER, { updateViaCache: 'none' }).catch(() => null)
      report()
    })
    return () => {
      cancel()
      container.removeEventListener('controllerchange', report)
    }
  }, [])
  return null
}

/** Nothing to a worker that is not the visitors', or not yet there. */
function reportVisit(worker: ServiceWorker | null) {
  if (!worker || !isVisitors(worker)) return
  const addresses = performance.getEntriesByType('resource').map(({ name }) => new URL(name))
  const assets = addresses
    .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith('/assets/'))
    .map(({ pathname }) => pathname)
  const visited: ToWorker = { type: 'visited', assets: [...new Set(assets)] }
  worker.postMessage(visited)
}

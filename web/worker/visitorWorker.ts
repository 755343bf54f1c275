// The service worker of visitors who are not signed in: what they have opened opens again without a network. It fetches
// nothing ahead, keeps no answer of the backend, and gives way to the app's own (serviceWorker.ts).
// https://developer.mozilla.org/en-US/docs/Web/API/Service_Worker_API
import { CONFIGURATIONS, type ToWorker, VISITED_ASSETS, VISITED_PAGES } from '../../shared/worker.ts'
import { NOT_PAGES, withoutDate } from './addresses.ts'

declare const self: ServiceWorkerGlobalScope

/** The page of every address, without a screen in it (scripts/prerender.mjs). */
const SHELL = '/app.html'
const CONFIGURATION = '/config.json'
/** How long a page is waited for where the network is there but does not answer, if a kept one can take its place. */
const TIMEOUT_MS = 3_000
/** The oldest are dropped beyond these. */
const MAX_PAGES = 60
const MAX_ASSETS = 400

self.addEventListener('install', (event) => {
  void self.skipWaiting()
  event.waitUntil(keep(CONFIGURATIONS, CONFIGURATION))
})
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('message', (event) => {
  const message = event.data as ToWorker
  if (message.type === 'visited') event.waitUntil(keepVisited(message.assets))
})

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (request.method !== 'GET' || origin !== self.location.origin) return
  if (pathname.startsWith('/assets/')) event.respondWith(asset(request))
  else if (pathname === CONFIGURATION) event.respondWith(newest(event, CONFIGURATIONS, pathname))
  else if (isPage(request, pathname)) event.respondWith(newest(event, VISITED_PAGES, pathname))
})

/** Opened by its address, or read by a page that came in another language (web/app/beforePaint.ts). */
const isPage = ({ mode, headers }: Request, pathname: string) =>
  (mode === 'navigate' || headers.get('accept') === 'text/html') &&
  !NOT_PAGES.some((other) => other.test(pathname))

/** The network's answer, which is kept under the address without its search; the kept one where there is none. */
async function newest(event: FetchEvent, cacheName: string, pathname: string): Promise<Response> {
  const cache = await caches.open(cacheName)
  const fetching = fetch(event.request).then(async (response) => {
    if (response.ok && !response.redirected) await cache.put(pathname, response.clone())
    return response
  })
  event.waitUntil(
    fetching.then(
      () => trim(VISITED_PAGES, MAX_PAGES),
      () => undefined,
    ),
  )
  const kept = await cache.match(pathname)
  if (kept) return Promise.race([fetching, waited(TIMEOUT_MS)]).catch(() => withoutDate(kept))
  // The app says by itself that there is no network.
  return fetching.catch(async () => (await cache.match(SHELL)) ?? Response.error())
}

/** Rejects after so many milliseconds. */
const waited = (ms: number) => new Promise<never>((_, reject) => setTimeout(reject, ms))

/** A name below /assets never means another content. */
async function asset(request: Request): Promise<Response> {
  const cache = await caches.open(VISITED_ASSETS)
  const kept = await cache.match(request)
  if (kept) return kept
  const response = await fetch(request)
  if (response.ok) await cache.put(request, response.clone())
  return response
}

/**
 * Stores the files that a page has loaded before the worker answered for it, from the browser's own cache, and
 * today's shell, which runs on these files.
 */
async function keepVisited(assets: string[]): Promise<void> {
  const cache = await caches.open(VISITED_ASSETS)
  for (const url of assets) if (!(await cache.match(url))) await cache.add(url).catch(() => undefined)
  await keep(VISITED_PAGES, SHELL).catch(() => undefined)
  await trim(VISITED_ASSETS, MAX_ASSETS)
}

const keep = async (cacheName: string, url: string) => (await caches.open(cacheName)).add(url)

/** Entries are in the order in which they were put. */
async function trim(cacheName: string, max: number): Promise<void> {
  const cache = await caches.open(cacheName)
  const requests = await cache.keys()
  for (const request of requests.slice(0, Math.max(0, requests.length - max))) await cache.delete(request)
}

// The service worker: opens the app without a network, keeps one version of it whole until the person takes the next,
// and receives shared pictures. Everything else, the backend's answers above all, passes it by.
// https://developer.mozilla.org/en-US/docs/Web/API/Service_Worker_API
import { cacheNames } from 'workbox-core'
import {
  cleanupOutdatedCaches,
  createHandlerBoundToURL,
  getCacheKeyForURL,
  precacheAndRoute,
} from 'workbox-precaching'
import { NavigationRoute, registerRoute } from 'workbox-routing'
import { CacheFirst, NetworkFirst } from 'workbox-strategies'
import {
  CONFIGURATIONS,
  isVisitors,
  SHARE_ADDRESS,
  type ToWorker,
  VISITED_ASSETS,
  VISITED_PAGES,
} from '../../shared/worker.ts'
import { NOT_PAGES, withoutDate } from './addresses.ts'
import { openPush, showPush } from './push.ts'
import { receiveShare } from './share.ts'

declare const self: ServiceWorkerGlobalScope
/** Put in by scripts/build-service-worker.mjs: the app's page, and the files of every screen that works offline. */
declare const PRECACHED: { url: string; revision: string | null }[]
/** The same: the files of each language but English, which comes with the app. */
declare const TEXTS: Record<string, string[]>

/** The page of every address, without a screen in it (scripts/prerender.mjs). */
const SHELL = '/app.html'
/** Files with a hash in their name that are kept once they were needed. */
const ASSETS = 'assets'
const CONFIGURATION = '/config.json'
/** How long the configuration is waited for where the network is there but does not answer. */
const CONFIG_TIMEOUT_S = 3

cleanupOutdatedCaches()
precacheAndRoute(PRECACHED)

const shell = createHandlerBoundToURL(SHELL)
registerRoute(
  new NavigationRoute(
    async (options) => {
      const { event } = options
      if ('waitUntil' in event) (event as ExtendableEvent).waitUntil(renewHeaders())
      return shell(options)
    },
    { denylist: NOT_PAGES },
  ),
)
registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname === CONFIGURATION,
  new NetworkFirst({
    cacheName: CONFIGURATIONS,
    networkTimeoutSeconds: CONFIG_TIMEOUT_S,
    plugins: [
      {
        cachedResponseWillBeUsed: async ({ cachedResponse }) => cachedResponse && withoutDate(cachedResponse),
      },
    ],
  }),
)
registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname.startsWith('/assets/'),
  new CacheFirst({ cacheName: ASSETS }),
)
registerRoute(
  ({ url, sameOrigin }) => sameOrigin && url.pathname === SHARE_ADDRESS,
  ({ request }) => receiveShare(request),
  'POST',
)

self.addEventListener('message', (event) => {
  const message = event.data as ToWorker
  // Only when the person says so, or a screen lacks since the release (web/app/newVersion.ts): until then every tab stays
  // with the version that it began with.
  if (message.type === 'update') event.waitUntil(self.skipWaiting())
  if (message.type === 'language') event.waitUntil(keepTexts(message.language))
})

self.addEventListener('push', showPush)
self.addEventListener('notificationclick', openPush)

self.addEventListener('install', (event) => {
  // A visitor's pages come from the network: no version is in use that would have to stay.
  if (isVisitors(self.registration.active)) void self.skipWaiting()
  // The page that brings the worker has read it before.
  event.waitUntil(caches.open(CONFIGURATIONS).then((cache) => cache.add(CONFIGURATION)))
})

// Caches of earlier versions other than the precached files are useless to this one.
self.addEventListener('activate', (event) =>
  event.waitUntil(
    Promise.all([dropOldAssets(), caches.delete(VISITED_PAGES), caches.delete(VISITED_ASSETS)]),
  ),
)

/** Keeps the texts of a language, so that screens that were not opened yet have their words offline. */
async function keepTexts(language: string): Promise<void> {
  const cache = await caches.open(ASSETS)
  const missing: string[] = []
  for (const url of TEXTS[language] ?? []) if (!(await cache.match(url))) missing.push(url)
  // Without a network they come another time.
  await cache.addAll(missing).catch(() => undefined)
}

async function dropOldAssets(): Promise<void> {
  const current = new Set(Object.values(TEXTS).flat())
  const cache = await caches.open(ASSETS)
  for (const request of await cache.keys())
    if (!current.has(new URL(request.url).pathname)) await cache.delete(request)
}

/**
 * The page's security policy may change while the page does not (a payment provider is switched on): the kept copy gets
 * the headers of today, as long as its content is the same.
 */
async function renewHeaders(): Promise<void> {
  const key = getCacheKeyForURL(SHELL)
  const cache = await caches.open(cacheNames.precache)
  const kept = key ? await cache.match(key) : undefined
  if (!key || !kept || !self.navigator.onLine) return
  const fresh = await fetch(SHELL, { cache: 'no-cache' }).catch(() => null)
  if (fresh?.ok && (await fresh.clone().text()) === (await kept.text())) await cache.put(key, fresh)
}

// Messages between pages and the service worker, and the places where they leave data for each other.

/** Messages from a page to the worker. */
export type ToWorker =
  /** The person wants the new version now. */
  | { type: 'update' }
  /** Keep this language's texts at hand. */
  | { type: 'language'; language: string }
  /** A visitor's page has loaded these files below /assets. */
  | { type: 'visited'; assets: string[] }

/** Messages from the worker to a page: the person wants to see that address of the app. */
export type FromWorker = { type: 'open'; path: string }

/** The worker of whoever uses the app as an app, and the one of visitors. */
export const APPS_WORKER = '/service-worker.js'
export const VISITORS_WORKER = '/visitor-worker.js'
/** Whether it is that of visitors, which is replaced without a question. */
export const isVisitors = (worker: Pick<ServiceWorker, 'scriptURL'> | null | undefined): boolean =>
  worker != null && new URL(worker.scriptURL).pathname === VISITORS_WORKER

/** Caches: both workers' configuration, and what visitors have opened. */
export const CONFIGURATIONS = 'configuration'
export const VISITED_PAGES = 'visited-pages'
export const VISITED_ASSETS = 'visited-assets'

/** Where the system posts what somebody shares with the installed app (web/public/manifest.webmanifest). */
export const SHARE_ADDRESS = '/share-photos'
/** The name of the field with the shared pictures. */
export const SHARE_FIELD = 'photos'
/** The store of shared pictures, until the form of a new task takes them. */
export const SHARED_PHOTOS = 'shared-photos'

// What the pages and the service worker say to each other, and where they leave things for each other.

/** Messages from a page to the worker. */
export type ToWorker =
  /** The person wants the new version now. */
  | { type: 'update' }
  /** Keep this language's texts at hand. */
  | { type: 'language'; language: string }

/** Messages from the worker to a page: the person wants to see that address of the app. */
export type FromWorker = { type: 'open'; path: string }

/** Where the system posts what somebody shares with the installed app (web/public/manifest.webmanifest). */
export const SHARE_ADDRESS = '/share-photos'
/** The name of the field with the shared pictures. */
export const SHARE_FIELD = 'photos'
/** The store of shared pictures, until the form of a new task takes them. */
export const SHARED_PHOTOS = 'shared-photos'

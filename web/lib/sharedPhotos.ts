// Pictures that were shared with the installed app; the service worker has put them aside (web/worker/share.ts).
import { SHARED_PHOTOS } from '../../shared/worker.ts'

/** Takes them: whoever asks next finds none. */
export async function takeSharedPhotos(): Promise<File[]> {
  if (!('caches' in window)) return []
  const cache = await caches.open(SHARED_PHOTOS)
  const photos: File[] = []
  for (const request of await cache.keys()) {
    const blob = await (await cache.match(request))?.blob()
    if (blob) photos.push(new File([blob], '', { type: blob.type }))
  }
  await dropSharedPhotos()
  return photos
}

/** Forgets them. */
export async function dropSharedPhotos(): Promise<void> {
  if ('caches' in window) await caches.delete(SHARED_PHOTOS)
}

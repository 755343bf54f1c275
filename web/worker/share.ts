// Pictures that somebody shares with the installed app: kept until the form of a new task takes them.
// https://w3c.github.io/web-share-target/
import { SHARE_FIELD, SHARED_PHOTOS } from '../../shared/worker.ts'

/** Keeps the pictures of a share in place of earlier ones, and leads to the form. */
export async function receiveShare(request: Request): Promise<Response> {
  await caches.delete(SHARED_PHOTOS)
  const form = await request.formData()
  const cache = await caches.open(SHARED_PHOTOS)
  const photos = form.getAll(SHARE_FIELD).filter((entry) => entry instanceof File)
  await Promise.all(
    photos.map((photo, index) =>
      cache.put(
        `/${SHARED_PHOTOS}/${index}`,
        new Response(photo, { headers: { 'content-type': photo.type } }),
      ),
    ),
  )
  return Response.redirect('/post-task?shared=photos', 303)
}
